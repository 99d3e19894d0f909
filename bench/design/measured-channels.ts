// Errors of DNA synthesis that were measured in laboratories, as substitution probabilities [intended][written] in the
// order ACGT. docs/synthesis-errors.md has them as blocks for problem files.

const LETTERS = "ACGT";

/** A measured source of errors. */
export interface MeasuredErrors {
  readonly name: string;
  /** Where the numbers are from, and what was assumed. */
  readonly source: string;
  /** Substitutions per letter, with equally frequent letters. */
  readonly rate: number;
  /** Relative frequencies of the substitutions, as `AG` for an intended A that is written as G. */
  readonly spectrum: Readonly<Record<string, number>>;
  /** Probability of an inserted letter at each place, and that a letter is lost. */
  readonly insertion: number;
  readonly deletion: number;
}

/** PCR with nucleotide analogues, which is used to mutate genes strongly. */
export const NUCLEOTIDE_ANALOGUES: MeasuredErrors = {
  name: "PCR with nucleotide analogues",
  source:
    "8.2 % of the letters after 15 cycles with dPTP (doi:10.1089/bsp.2009.0057, table 1b, fragment P1); spectrum of dPTP and " +
    "8-oxo-dGTP of the presets that go with Mutanalyst (doi:10.1186/s12859-016-0996-7). Rate and spectrum are from different " +
    "experiments",
  rate: 0.082,
  spectrum: { AC: 6, AG: 27, CT: 6, GA: 11, TC: 54, TG: 2 },
  insertion: 0,
  deletion: 0,
};

/** Error-prone PCR with the polymerase Mutazyme II. */
export const MUTAZYME: MeasuredErrors = {
  name: "error-prone PCR with Mutazyme II",
  source:
    "spectrum and highest rate, 16 mutations per 1,000 letters, of the GeneMorph II manual (Agilent 200550); the few " +
    "insertions and deletions are left out",
  rate: 0.016,
  spectrum: bothStrands({ AC: 4.7, AG: 17.5, AT: 28.5, CA: 14.1, CG: 4.1, CT: 25.5 }),
  insertion: 0,
  deletion: 0,
};

/** Photolithographic synthesis on arrays, which is fast and cheap and errs often. It also inserts and deletes letters. */
export const PHOTOLITHOGRAPHY: MeasuredErrors = {
  name: "photolithographic synthesis",
  source:
    "the settings array_synthesis_photolithographic of the simulator DT4DDS (github.com/fml-ethz/dt4dds), whose authors store " +
    "data in such DNA (doi:10.1038/s41467-020-19148-3). Here all errors are independent; there, 15 % of the deletions are " +
    "longer than one letter",
  rate: 0.0212,
  spectrum: {
    ...{ AC: 0.085, AG: 0.058, AT: 0.063, CA: 0.088, CG: 0.081, CT: 0.063 },
    ...{ GA: 0.095, GC: 0.073, GT: 0.183, TA: 0.081, TC: 0.063, TG: 0.094 },
  },
  insertion: 0.0136,
  deletion: 0.0683,
};

/** Probabilities [intended][written], with four decimals as the documents have them. */
export function substitutionMatrix({ rate, spectrum }: MeasuredErrors): number[][] {
  const total = Object.values(spectrum).reduce((a, b) => a + b);
  return Array.from(LETTERS, (intended) => {
    const changed = Array.from(LETTERS, (written) =>
      // Each intended letter is one in four.
      round((4 * rate * (spectrum[intended + written] ?? 0)) / total),
    );
    const kept = round(1 - changed.reduce((a, b) => a + b));
    return changed.map((probability, i) => (LETTERS[i] === intended ? kept : probability));
  });
}

function round(probability: number): number {
  return Number(probability.toFixed(4));
}

/** A substitution on one strand is another one on the complementary strand; measurements count both as one kind. */
function bothStrands(spectrum: Readonly<Record<string, number>>): Record<string, number> {
  const complement = (letters: string) =>
    Array.from(letters, (letter) => LETTERS[3 - LETTERS.indexOf(letter)]).join("");
  return Object.fromEntries(
    Object.entries(spectrum).flatMap(([pair, share]) => [
      [pair, share / 2],
      [complement(pair), share / 2],
    ]),
  );
}
