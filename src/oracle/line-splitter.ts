// Splits the output of a process into lines of limited length.

const NEWLINE = 10;

/** Collects chunks of bytes and gives the complete lines, without their line ends. A last line without a line end may be
 * incomplete and is never given. */
export class LineSplitter {
  readonly #longest: number;
  /** The beginning of a line. */
  #chunks: Buffer[] = [];
  #size = 0;

  /** @param longest Most bytes of a line. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The lines that this chunk completes. Throws a RangeError at a line that is too long. */
  add(chunk: Buffer): string[] {
    const end = chunk.lastIndexOf(NEWLINE);
    const lines = end < 0 ? [] : this.#linesUntil(chunk.subarray(0, end));
    this.#keep(chunk.subarray(end + 1));
    return lines;
  }

  /** All lines at once, because decoding each by itself takes several times as long. */
  #linesUntil(part: Buffer): string[] {
    const bytes = this.#size === 0 ? part : Buffer.concat([...this.#chunks, part]);
    this.#chunks = [];
    this.#size = 0;
    if (bytes.length > this.#longest) this.#checkLengths(bytes);
    return bytes
      .toString("utf8")
      .split("\n")
      .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  #checkLengths(bytes: Buffer): void {
    for (let from = 0; from <= bytes.length; ) {
      const at = bytes.indexOf(NEWLINE, from);
      const end = at < 0 ? bytes.length : at;
      this.#checkLength(end - from);
      from = end + 1;
    }
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#checkLength(this.#size + part.length);
    this.#chunks.push(part);
    this.#size += part.length;
  }

  #checkLength(length: number): void {
    if (length > this.#longest) throw new RangeError(`a line must have at most ${this.#longest} bytes`);
  }
}
