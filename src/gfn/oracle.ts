// Scores from outside: a function of the caller, asked once for every object.

/** Scores of objects, one each: finite and not negative, zero allowed. */
export type ScoreFunction = (objects: readonly string[]) => ArrayLike<number> | Promise<ArrayLike<number>>;

/** Objects that were asked for, in their order, and the answers. */
export interface SavedScores {
  readonly objects: readonly string[];
  readonly scores: Float64Array;
}

export class Oracle {
  readonly #score: ScoreFunction;
  #known = new Map<string, number>();

  constructor(score: ScoreFunction) {
    this.#score = score;
  }

  /** How many objects the function was asked for. */
  get calls(): number {
    return this.#known.size;
  }

  /** Scores in the order of the objects. Asks for those that are new, each once. */
  async scores(objects: readonly string[]): Promise<Float64Array> {
    const asked = [...new Set(objects)].filter((object) => !this.#known.has(object));
    if (asked.length > 0) {
      const answers = await this.#score(asked);
      if (answers?.length !== asked.length) {
        throw new RangeError(
          `the score function was asked for ${asked.length} objects and gave ${answers?.length ?? "no"} scores; it must give one each`,
        );
      }
      asked.forEach((object, i) => {
        const score = answers[i];
        if (!(score >= 0 && score < Number.POSITIVE_INFINITY)) {
          throw new RangeError(
            `the score function gave ${score} for ${JSON.stringify(object)}; scores must be finite and not negative`,
          );
        }
        this.#known.set(object, score);
      });
    }
    return Float64Array.from(objects, (object) => this.#known.get(object) as number);
  }

  /** What was asked so far, so that it need not be asked again. */
  save(): SavedScores {
    return { objects: [...this.#known.keys()], scores: Float64Array.from(this.#known.values()) };
  }

  restore({ objects, scores }: SavedScores): void {
    this.#known = new Map(objects.map((object, i) => [object, scores[i]]));
  }
}
