// A sum without rounding errors: its value does not depend on the order of the terms, nor on how they were grouped.
//
// The sum is held as several numbers of different magnitude that do not overlap (Shewchuk, 1997); each is the rounding error
// of the next. Their exact total is rounded once, when the value is read.

export class ExactSum {
  /** The first `#count` entries, in increasing magnitude, without zeros. */
  readonly #parts: number[] = [];
  #count = 0;
  /** Sum of the terms that are not finite; 0 if there are none. */
  #notFinite = 0;

  /** @param parts The parts of another sum. */
  constructor(parts: readonly number[] = []) {
    for (const part of parts) this.add(part);
  }

  /** Numbers whose exact sum is this sum, or a single number that is not finite. */
  get parts(): readonly number[] {
    return this.#notFinite === 0 ? this.#parts.slice(0, this.#count) : [this.#notFinite];
  }

  add(term: number): void {
    if (!Number.isFinite(term)) {
      this.#notFinite += term;
      return;
    }
    const parts = this.#parts;
    const count = this.#count;
    let sum = term;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const part = parts[i];
      const sumIsLarger = Math.abs(sum) >= Math.abs(part);
      const large = sumIsLarger ? sum : part;
      const small = sumIsLarger ? part : sum;
      sum = large + small;
      const error = small - (sum - large);
      if (error !== 0) parts[kept++] = error;
    }
    if (sum !== 0) parts[kept++] = sum;
    this.#count = kept;
  }

  addSum(other: ExactSum): void {
    for (const part of other.parts) this.add(part);
  }

  /** The number nearest to the sum; of two equally near ones, the even one. */
  get value(): number {
    if (this.#notFinite !== 0) return this.#notFinite;
    const parts = this.#parts;
    let next = this.#count - 1;
    if (next < 0) return 0;
    let sum = parts[next];
    let error = 0;
    while (next > 0 && error === 0) {
      const before = sum;
      const part = parts[--next];
      sum = before + part;
      error = part - (sum - before);
    }
    // Exactly half a unit was rounded to even; the parts below decide the direction if they have the same sign.
    if (next > 0 && error * parts[next - 1] > 0) {
      const further = sum + 2 * error;
      if (further - sum === 2 * error) return further;
    }
    return sum;
  }
}
