// The points of one metric in limited memory: exact up to a number of points, and beyond it intervals of neighbouring
// points with their smallest, largest and mean value. Sums over intervals are sums over all of their points.

/** Points up to which a series is exact. Twenty runs with 100,000 points each stay below it. */
export const EXACT_POINTS = 2 ** 17;
const FIRST_CAPACITY = 64;

/** Columns of intervals in ascending order of x. An interval of one point has `low = high = mean = last`. */
export interface Intervals {
  readonly length: number;
  /** First and last x of each interval. */
  readonly x: Float64Array;
  readonly end: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly mean: Float64Array;
  /** The value of its last point. */
  readonly last: Float64Array;
  /** Number of points of each interval; null if each has one. */
  readonly weight: Float64Array | null;
}

export class PointSeries {
  /** Number of all points. */
  points = 0;
  low = Number.POSITIVE_INFINITY;
  high = Number.NEGATIVE_INFINITY;
  #length = 0;
  /** Points of a complete interval. */
  #stride = 1;
  #x: Float64Array<ArrayBuffer>;
  /** The values; the means, if intervals have several points. */
  #mean: Float64Array<ArrayBuffer>;
  #merged: Omit<Intervals, "length" | "x" | "mean"> | null = null;
  readonly #most: number;

  /** `most`: the largest number of intervals, an even number. */
  constructor(most: number = EXACT_POINTS) {
    this.#most = most;
    this.#x = new Float64Array(Math.min(FIRST_CAPACITY, most));
    this.#mean = new Float64Array(this.#x.length);
  }

  /** The last value; NaN if there is none. */
  get last(): number {
    const values = this.#merged?.last ?? this.#mean;
    return this.#length === 0 ? Number.NaN : values[this.#length - 1];
  }

  get bytes(): number {
    return this.#x.byteLength * (this.#merged ? 7 : 2);
  }

  get intervals(): Intervals {
    const [length, x, mean] = [this.#length, this.#x, this.#mean];
    if (this.#merged) return { length, x, mean, ...this.#merged };
    return { length, x, end: x, low: mean, high: mean, mean, last: mean, weight: null };
  }

  /** Appends a point. One that goes back in x is left out, because a file of a run never has it. */
  append(x: number, value: number): void {
    const before = this.#length - 1;
    if (before >= 0 && x < (this.#merged?.end ?? this.#x)[before]) return;
    this.points++;
    this.low = Math.min(this.low, value);
    this.high = Math.max(this.high, value);
    if (this.#merged && this.#merged.weight![before] < this.#stride) {
      this.#extend(before, x, value);
      return;
    }
    if (this.#length === this.#x.length) this.#makeRoom();
    if (this.#merged && this.#merged.weight![this.#length - 1] < this.#stride) {
      this.#extend(this.#length - 1, x, value);
      return;
    }
    const i = this.#length++;
    this.#x[i] = x;
    this.#mean[i] = value;
    if (!this.#merged) return;
    const { end, low, high, last, weight } = this.#merged;
    end[i] = x;
    low[i] = value;
    high[i] = value;
    last[i] = value;
    weight![i] = 1;
  }

  #extend(i: number, x: number, value: number): void {
    const { end, low, high, last, weight } = this.#merged!;
    const count = weight![i] + 1;
    end[i] = x;
    low[i] = Math.min(low[i], value);
    high[i] = Math.max(high[i], value);
    last[i] = value;
    this.#mean[i] += (value - this.#mean[i]) / count;
    weight![i] = count;
  }

  #makeRoom(): void {
    if (this.#x.length < this.#most) {
      const capacity = Math.min(2 * this.#x.length, this.#most);
      this.#x = grown(this.#x, capacity);
      this.#mean = grown(this.#mean, capacity);
      return;
    }
    this.#mergePairs();
  }

  /** Halves the number of intervals. */
  #mergePairs(): void {
    const { length, x, end, low, high, mean, last, weight } = this.intervals;
    const merged = {
      end: new Float64Array(x.length),
      low: new Float64Array(x.length),
      high: new Float64Array(x.length),
      last: new Float64Array(x.length),
      weight: new Float64Array(x.length),
    };
    let count = 0;
    for (let i = 0; i < length; i += 2, count++) {
      const j = Math.min(i + 1, length - 1);
      const [a, b] = [weight?.[i] ?? 1, i === j ? 0 : (weight?.[j] ?? 1)];
      merged.end[count] = end[j];
      merged.low[count] = Math.min(low[i], low[j]);
      merged.high[count] = Math.max(high[i], high[j]);
      merged.last[count] = last[j];
      merged.weight[count] = a + b;
      this.#mean[count] = (a * mean[i] + b * mean[j]) / (a + b);
      this.#x[count] = x[i];
    }
    this.#merged = merged;
    this.#length = count;
    this.#stride *= 2;
  }
}

function grown(values: Float64Array<ArrayBuffer>, capacity: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(capacity);
  larger.set(values);
  return larger;
}
