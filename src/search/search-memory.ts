// What a search remembers: the strings that were asked or told, and the scores. It sees to it that no string is asked twice.

import type { RandomStream } from "../engine/random-stream.ts";
import type { LegalStrings } from "./legal-strings.ts";
import type { ScoredString } from "./string-search.ts";

/** A legal string with its score. */
export interface ScoredTokens extends ScoredString {
  readonly tokens: readonly number[];
}

/** How often a proposal is drawn again if it is illegal or not new, before a uniform string takes its place. */
const PROPOSALS = 100;
/** How often a uniform string is drawn again. If all these are known, so are nearly all strings, and the rest is listed. */
const UNIFORM_DRAWS = 300;

/** The memory of one search. */
export class SearchMemory {
  readonly #strings: LegalStrings;
  readonly #stream: RandomStream;
  readonly #seen = new Set<string>();
  readonly #scored = new Map<string, ScoredTokens>();

  /** `stream` draws the uniform strings. */
  constructor(strings: LegalStrings, stream: RandomStream) {
    this.#strings = strings;
    this.#stream = stream;
  }

  /** The legal strings with a score, in the order in which they were told. */
  get scored(): readonly ScoredTokens[] {
    return [...this.#scored.values()];
  }

  /** The score of a string; undefined if it has none. */
  scoreOf(string: string): number | undefined {
    return this.#scored.get(string)?.score;
  }

  /** Whether a string was asked or told. */
  has(string: string): boolean {
    return this.#seen.has(string);
  }

  /** Keeps scores. An illegal string is never asked, and nothing is learnt from it. */
  tell(scored: readonly ScoredString[]): void {
    const wrong = scored.find(({ score }) => !Number.isFinite(score));
    if (wrong) {
      throw new RangeError(
        `tell: scores must be finite numbers, got ${wrong.score} for ${JSON.stringify(wrong.string)}`,
      );
    }
    for (const { string, score } of scored) {
      this.#seen.add(string);
      const tokens = this.#strings.parse(string);
      if (tokens) this.#scored.set(string, { string, score, tokens });
    }
  }

  /** Those of the strings that are legal and new, each once, at most `count`; they count as asked. */
  askThese(strings: readonly string[], count: number): string[] {
    const asked: string[] = [];
    for (const string of strings) {
      if (asked.length >= count || this.#seen.has(string) || !this.#strings.parse(string)) continue;
      this.#seen.add(string);
      asked.push(string);
    }
    return asked;
  }

  /**
   * New strings of `propose`, which returns a string or null if it found no legal one. After too many vain proposals a
   * uniform string takes the place of one.
   */
  askProposals(count: number, propose: () => readonly number[] | null): string[] {
    const asked: string[] = [];
    while (asked.length < count) {
      const found = this.#firstNew(PROPOSALS, propose) ?? this.askUniform(1).at(0);
      if (found === undefined) break;
      asked.push(found);
    }
    return asked;
  }

  /** New strings, drawn uniformly; fewer than `count` only if no more legal strings are left. */
  askUniform(count: number): string[] {
    const asked: string[] = [];
    while (asked.length < count) {
      const found = this.#firstNew(UNIFORM_DRAWS, () => this.#strings.uniform(this.#stream));
      if (found === null) return [...asked, ...this.#askRest(count - asked.length)];
      asked.push(found);
    }
    return asked;
  }

  /** The first of some draws that is new; it counts as asked. */
  #firstNew(draws: number, draw: () => readonly number[] | null): string | null {
    for (let i = 0; i < draws; i++) {
      const tokens = draw();
      const string = tokens && this.#strings.text(tokens);
      if (string === null || this.#seen.has(string)) continue;
      this.#seen.add(string);
      return string;
    }
    return null;
  }

  /** Strings from the list of all that are new, in random order. */
  #askRest(count: number): string[] {
    const rest: string[] = [];
    for (const tokens of this.#strings.all()) {
      const string = this.#strings.text(tokens);
      if (!this.#seen.has(string)) rest.push(string);
    }
    const asked: string[] = [];
    while (asked.length < count && rest.length > 0) {
      const [string] = rest.splice(this.#stream.integer(rest.length), 1);
      this.#seen.add(string);
      asked.push(string);
    }
    return asked;
  }
}
