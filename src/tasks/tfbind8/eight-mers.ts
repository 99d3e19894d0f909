// DNA strings of eight letters, numbered in alphabetical order: A, C, G, T are 0..3, the first letter counts most.

export const LETTERS = "ACGT";
export const LENGTH = 8;
/** How many strings there are, 65,536. */
export const EIGHT_MERS = LETTERS.length ** LENGTH;

/** String number `index` in alphabetical order. */
export function sequenceAt(index: number): string {
  if (!Number.isInteger(index) || index < 0 || index >= EIGHT_MERS) {
    throw new RangeError(`sequenceAt: 8-mers are numbered from 0 to ${EIGHT_MERS - 1}, got ${index}`);
  }
  let rest = index;
  let sequence = "";
  for (let i = 0; i < LENGTH; i++) {
    sequence = LETTERS[rest % LETTERS.length] + sequence;
    rest = Math.floor(rest / LETTERS.length);
  }
  return sequence;
}

/** Number of a string, the inverse of `sequenceAt`. */
export function sequenceIndex(sequence: string): number {
  const fault = eightMerFault(sequence);
  if (fault) throw new RangeError(`sequenceIndex: ${fault}`);
  let index = 0;
  for (const letter of sequence) index = index * LETTERS.length + LETTERS.indexOf(letter);
  return index;
}

/** Number of the other strand, read in its own direction: letters complemented, order reversed. */
export function reverseComplement(index: number): number {
  let rest = index;
  let other = 0;
  for (let i = 0; i < LENGTH; i++) {
    other = other * 4 + (3 - (rest & 3));
    rest >>= 2;
  }
  return other;
}

/** What keeps a text from being an 8-mer, as half a sentence; null if nothing does. */
export function eightMerFault(text: string): string | null {
  const wrong = [...text].find((letter) => !LETTERS.includes(letter));
  if (wrong !== undefined) {
    return `${JSON.stringify(text)} has ${JSON.stringify(wrong)}, and only A, C, G and T are letters`;
  }
  if (text.length !== LENGTH) {
    return `${JSON.stringify(text)} has ${text.length} ${text.length === 1 ? "letter" : "letters"} instead of ${LENGTH}`;
  }
  return null;
}
