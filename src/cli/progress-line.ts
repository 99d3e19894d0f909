// A progress line: redrawn in place on a terminal, and an occasional plain line elsewhere.

/** The output stream; `isTTY` marks a terminal. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Moves the cursor to the start of the line and erases it. */
const ERASE = "\r\x1b[2K";
const DEFAULT_COLUMNS = 120;
/** Milliseconds between plain lines. */
const PLAIN_INTERVAL = 5000;
const BAR = { least: 4, most: 20 };

export class ProgressLine {
  readonly #screen: Screen | undefined;
  readonly #now: () => number;
  #lastPlain: number;

  /** Without a screen nothing is shown. */
  constructor(screen: Screen | undefined, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
    this.#lastPlain = now();
  }

  get isTerminal(): boolean {
    return this.#screen?.isTTY ?? false;
  }

  /** Columns of the line. The last one stays empty, because some terminals would start a new line. */
  get width(): number {
    return (this.#screen?.columns ?? DEFAULT_COLUMNS) - 1;
  }

  /** Shows a text behind a bar of the completed fraction, from 0 to 1. The bar takes the width that the text leaves. */
  show(text: string, fraction: number, mostBar = BAR.most): void {
    if (this.isTerminal) {
      const bar = Math.min(mostBar, this.width - text.length - 1);
      const line = bar < BAR.least ? text : `${progressBar(bar, fraction)} ${text}`;
      this.#screen?.write(`${ERASE}${line.slice(0, this.width)}`);
      return;
    }
    const now = this.#now();
    if (now - this.#lastPlain < PLAIN_INTERVAL) return;
    this.#lastPlain = now;
    this.print(text);
  }

  /** Writes a line that stays, in place of the progress line. */
  print(text: string): void {
    this.#screen?.write(`${this.isTerminal ? ERASE : ""}${text}\n`);
  }

  /** Erases the progress line, so that other text can take its place. */
  clear(): void {
    if (this.isTerminal) this.#screen?.write(ERASE);
  }
}

function progressBar(width: number, fraction: number): string {
  const filled = Math.round(width * Math.min(Math.max(fraction, 0), 1));
  return `${"█".repeat(filled)}${"░".repeat(width - filled)}`;
}
