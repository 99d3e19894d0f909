// A score function of the caller, with a cache, so that it scores each object only once.

/** Returns one score per object, finite and not negative. */
export type ScoreFunction = (objects: readonly string[]) => ArrayLike<number> | Promise<ArrayLike<number>>;

/** The content of the cache: objects in the order of their first request, and their scores. */
export interface SavedScores {
  readonly objects: readonly string[];
  readonly scores: Float64Array;
}

/** A score function that remembers the scores it has returned. */
export class CachedScoreFunction {
  readonly #score: ScoreFunction;
  #scored = new Map<string, number>();

  constructor(score: ScoreFunction) {
    this.#score = score;
  }

  /** Number of objects that the function has scored. */
  get calls(): number {
    return this.#scored.size;
  }

  /** Scores in the order of the objects. Calls the function for objects that are not in the cache. */
  async scores(objects: readonly string[]): Promise<Float64Array> {
    const requested = [...new Set(objects)].filter((object) => !this.#scored.has(object));
    if (requested.length > 0) {
      const answers = await this.#score(requested);
      if (answers?.length !== requested.length) {
        throw new RangeError(
          `the score function must return one score per object, got ${answers?.length ?? "no"} scores for ${requested.length} objects`,
        );
      }
      requested.forEach((object, i) => {
        const score = answers[i];
        if (!(score >= 0 && score < Number.POSITIVE_INFINITY)) {
          throw new RangeError(
            `the score function must return finite scores that are not negative, got ${score} for ${JSON.stringify(object)}`,
          );
        }
        this.#scored.set(object, score);
      });
    }
    return Float64Array.from(objects, (object) => this.#scored.get(object) as number);
  }

  /** The content of the cache, for `restore`. */
  save(): SavedScores {
    return { objects: [...this.#scored.keys()], scores: Float64Array.from(this.#scored.values()) };
  }

  restore({ objects, scores }: SavedScores): void {
    this.#scored = new Map(objects.map((object, i) => [object, scores[i]]));
  }
}
