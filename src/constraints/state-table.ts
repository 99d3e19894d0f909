// The combined states of one layer: rows with the state of each part, numbered in the order in which they were found.

/** Rows of integers without duplicates, found by a hash table. */
export class StateTable {
  /** Integers of a row. */
  readonly width: number;
  #rows: Int32Array;
  #slots: Int32Array;
  #count = 0;

  constructor(width: number) {
    this.width = width;
    this.#rows = new Int32Array(16 * width);
    this.#slots = new Int32Array(32).fill(-1);
  }

  /** Number of rows. */
  get count(): number {
    return this.#count;
  }

  /** All rows one after the other, with unused room at the end. */
  get rows(): Int32Array {
    return this.#rows;
  }

  /** The number of a row, which is added if it is new. */
  add(row: Int32Array): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(row, 0, this.width) & mask;
    for (let found = this.#slots[slot]; found >= 0; found = this.#slots[slot]) {
      if (this.#isEqual(found, row)) return found;
      slot = (slot + 1) & mask;
    }
    const number = this.#count++;
    this.#slots[slot] = number;
    if (this.#rows.length < this.#count * this.width) {
      const rows = new Int32Array(2 * this.#rows.length);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    this.#rows.set(row, number * this.width);
    if (2 * this.#count > this.#slots.length) this.#enlarge();
    return number;
  }

  #isEqual(number: number, row: Int32Array): boolean {
    const first = number * this.width;
    for (let i = 0; i < this.width; i++) if (this.#rows[first + i] !== row[i]) return false;
    return true;
  }

  #enlarge(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(-1);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = hashOf(this.#rows, number * this.width, this.width) & mask;
      while (this.#slots[slot] >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }
}

/** A hash of `width` integers from a place on. */
export function hashOf(values: Int32Array, from: number, width: number): number {
  let hash = 0;
  for (let i = from; i < from + width; i++) {
    hash = Math.imul(hash ^ (values[i] + 1), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
