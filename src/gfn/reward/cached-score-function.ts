// A score function of the caller, with a cache, so that it scores each object only once.

/** Returns one score per object, finite and not negative. */
export type ScoreFunction = (objects: readonly string[]) => ArrayLike<number> | Promise<ArrayLike<number>>;

/** The content of the cache: objects in the order of their first request, and their scores. */
export interface SavedScores {
  readonly objects: readonly string[];
  readonly scores: Float64Array;
}

/** What a cached score function knows from the start, and which scores it accepts. */
export interface CachedScoreOptions {
  /** Objects whose scores are known. They cost no calls. */
  readonly known?: SavedScores;
  /** Whether scores may be negative, −Infinity (the object failed and counts as the lowest reward) or NaN (it has no score,
   * and nothing is learned from it). Default: false. */
  readonly anyScore?: boolean;
  /** Whether the score of an object costs no call, because the function knows it by itself. Default: every object costs one. */
  isFree?(object: string): boolean;
}

/** A score function that remembers the scores it has returned. */
export class CachedScoreFunction {
  readonly #score: ScoreFunction;
  readonly #options: CachedScoreOptions;
  #objects: string[] = [];
  #scores: number[] = [];
  /** The scores without those of free objects. */
  #paidScores: number[] = [];
  #positions = new Map<string, number>();
  /** Objects that cost no call: known or free. */
  #unpaid = 0;

  constructor(score: ScoreFunction, options: CachedScoreOptions = {}) {
    this.#score = score;
    this.#options = options;
    if (options.known) this.restore(options.known);
  }

  /** Number of objects that the function was asked to score, without the free ones. */
  get calls(): number {
    return this.#objects.length - this.#unpaid;
  }

  /** Number of objects that were known from the start. They come first. */
  get known(): number {
    return this.#options.known?.objects.length ?? 0;
  }

  /** Whether the score of this object costs no call. */
  isFree(object: string): boolean {
    return this.has(object) || (this.#options.isFree?.(object) ?? false);
  }

  /** Whether the object has a score already, so that asking for it costs no call. */
  has(object: string): boolean {
    return this.#positions.has(object);
  }

  /** All objects in the cache: the known ones first, then in the order of their first request. */
  get objects(): readonly string[] {
    return this.#objects;
  }

  /** Score of an object; undefined if it is not in the cache. */
  scoreOf(object: string): number | undefined {
    const position = this.#positions.get(object);
    return position === undefined ? undefined : this.#scores[position];
  }

  /** Score of the object at this position of `objects`. */
  scoreAt(position: number): number {
    return this.#scores[position];
  }

  /** The scores that cost a call and the known ones, in the order of their arrival. */
  paidScores(): readonly number[] {
    return this.#paidScores;
  }

  /** Scores in the order of the objects. Calls the function for objects that are not in the cache. */
  async scores(objects: readonly string[]): Promise<Float64Array> {
    const requested = [...new Set(objects)].filter((object) => !this.has(object));
    if (requested.length > 0) {
      const answers = await this.#score(requested);
      if (answers?.length !== requested.length) {
        throw new RangeError(
          `the score function must return one score per object, got ${answers?.length ?? "no"} scores for ${requested.length} objects`,
        );
      }
      requested.forEach((object, i) => {
        const score = answers[i];
        const isValid = this.#options.anyScore
          ? typeof score === "number" && score !== Number.POSITIVE_INFINITY
          : score >= 0 && score < Number.POSITIVE_INFINITY;
        if (!isValid) {
          throw new RangeError(
            `the score function must return finite scores that are not negative, got ${score} for ${JSON.stringify(object)}`,
          );
        }
      });
      requested.forEach((object, i) => {
        this.#add(object, answers[i]);
      });
    }
    return Float64Array.from(objects, (object) => this.#scores[this.#positions.get(object) as number]);
  }

  /** The content of the cache, for `restore`. */
  save(): SavedScores {
    return { objects: [...this.#objects], scores: Float64Array.from(this.#scores) };
  }

  /** Throws a RangeError if the known objects are not those of the saved content. */
  restore({ objects, scores }: SavedScores): void {
    const { known } = this.#options;
    if (
      known &&
      !known.objects.every((object, i) => objects[i] === object && scores[i] === known.scores[i])
    ) {
      throw new RangeError("the known scores are not those that the run started with");
    }
    this.#objects = [];
    this.#scores = [];
    this.#paidScores = [];
    this.#positions = new Map();
    this.#unpaid = 0;
    objects.forEach((object, i) => {
      this.#add(object, scores[i]);
    });
  }

  #add(object: string, score: number): void {
    const isKnown = this.#objects.length < this.known;
    const isFree = !isKnown && (this.#options.isFree?.(object) ?? false);
    if (isKnown || isFree) this.#unpaid++;
    if (!isFree) this.#paidScores.push(score);
    this.#positions.set(object, this.#objects.length);
    this.#objects.push(object);
    this.#scores.push(score);
  }
}
