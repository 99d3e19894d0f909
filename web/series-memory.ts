// The answers for curves that a chart got before. A zoom is drawn at once from the smallest range that has it, until the
// answer for the new range arrives, and a range that was shown before is not requested again.

import type { SeriesAnswer, SeriesRequest } from "../src/views/page-data.ts";

interface Kept {
  readonly key: string;
  readonly request: SeriesRequest;
  readonly revision: string;
  readonly answer: SeriesAnswer;
}

/** Numbers of all answers together; the newest one is kept even if it has more. */
const MOST_NUMBERS = 2 ** 21;

export class SeriesMemory {
  /** In the order of use, the latest last. */
  #kept: Kept[] = [];

  add(kept: Kept): void {
    this.#kept = [...this.#kept.filter(({ key }) => key !== kept.key), kept];
    let numbers = 0;
    const first = this.#kept.findLastIndex(({ answer }) => {
      numbers += sizeOf(answer);
      return numbers > MOST_NUMBERS;
    });
    this.#kept = this.#kept.slice(Math.min(first + 1, this.#kept.length - 1));
  }

  /** The answer to exactly this request. */
  find(key: string): SeriesAnswer | null {
    return this.#kept.find((each) => each.key === key)?.answer ?? null;
  }

  /** The answer with the same curves in the smallest range around that of the request. One of another revision has points
   * that are no longer valid. */
  around({ entries, metric, x, ...range }: SeriesRequest, revision: string): Kept | null {
    const { from, to } = rangeOf(range);
    const found = this.#kept.filter(({ request, revision: of }) => {
      const has = rangeOf(request);
      const isSame = of === revision && request.metric === metric && request.x === x;
      return isSame && has.from <= from && has.to >= to && areSame(request.entries, entries);
    });
    const widthOf = ({ request }: Kept) => rangeOf(request).to - rangeOf(request).from;
    return found.toSorted((a, b) => widthOf(b) - widthOf(a)).at(-1) ?? null;
  }
}

function rangeOf({ from = -Infinity, to = Infinity }: Pick<SeriesRequest, "from" | "to">) {
  return { from, to };
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((id, i) => id === b[i]));
}

function sizeOf({ series, groups }: SeriesAnswer): number {
  return [...series, ...groups].reduce((sum, { x }) => sum + 4 * x.length, 0);
}
