// Task `tfbind8`: DNA strings of eight letters, scored by how strongly a protein binds them.
//
// Scores come from a measured table (`readBindingTable`), from the surrogate of one, or from a hand-made rule; the
// label says which.

import { type SequenceEnvironment, sequenceEnvironment } from "../../gfn/environments/sequence.ts";
import { checkTerminal, type Task } from "../task.ts";
import { EIGHT_MERS, LENGTH, LETTERS, sequenceAt, sequenceIndex } from "./eight-mers.ts";
import { simplifiedScore } from "./simplified.ts";
import { SURROGATE, surrogateTable } from "./surrogate.ts";

export interface Tfbind8Options {
  readonly stick: number;
  /** Scores of all 65,536 strings in alphabetical order, or which built-in ones. */
  readonly table?: Float64Array | "surrogate" | "simplified";
  /** Where a given table comes from, for the label: a file, say. */
  readonly source?: string;
}

/** The environment alone, without scores. */
export function tfbind8Environment({ stick }: Pick<Tfbind8Options, "stick">): SequenceEnvironment {
  return sequenceEnvironment({ alphabet: LETTERS, length: LENGTH, stick });
}

export function tfbind8Task({
  stick,
  table = "surrogate",
  source = "a table given by the caller",
}: Tfbind8Options): Task<SequenceEnvironment> {
  return {
    name: "tfbind8",
    ...scoresOf(table, source),
    environment: tfbind8Environment({ stick }),
    decode(terminal) {
      checkTerminal("tfbind8", terminal, EIGHT_MERS);
      return sequenceAt(terminal);
    },
    encode: sequenceIndex,
  };
}

function scoresOf(
  table: NonNullable<Tfbind8Options["table"]>,
  source: string,
): Pick<Task, "label" | "scores"> {
  if (table === "surrogate") return { label: SURROGATE.label, scores: surrogateTable() };
  if (table === "simplified") {
    const scores = Float64Array.from({ length: EIGHT_MERS }, (_, i) => simplifiedScore(sequenceAt(i)));
    return { label: "simplified hand-made rule, not a measured table", scores };
  }
  if (!(table instanceof Float64Array)) {
    throw new TypeError(
      `tfbind8: table must be "surrogate", "simplified" or a Float64Array of scores, got ${JSON.stringify(table)}`,
    );
  }
  if (table.length !== EIGHT_MERS) {
    throw new RangeError(`tfbind8: a table must have ${EIGHT_MERS} scores, got ${table.length}`);
  }
  return { label: `scores from ${source}`, scores: table };
}
