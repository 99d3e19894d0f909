// Splits the output of a process into lines of limited length.

const NEWLINE = 10;

/** Collects chunks of bytes and yields the complete lines, without their line ends. A last line without a line end may
 * be incomplete and is never yielded. */
export class LineSplitter {
  readonly #longest: number;
  #chunks: Buffer[] = [];
  #size = 0;

  /** @param longest Most bytes of a line. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Yields the lines that this chunk completes. Throws a RangeError at a line that is too long. */
  *add(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at));
      from = at + 1;
      yield this.#take();
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    if (this.#size + part.length > this.#longest) {
      throw new RangeError(`a line must have at most ${this.#longest} bytes`);
    }
    if (part.length === 0) return;
    this.#chunks.push(part);
    this.#size += part.length;
  }

  #take(): string {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    this.#chunks = [];
    this.#size = 0;
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }
}
