// Task `tfbind8`: DNA strings of eight letters, scored by how strongly a transcription factor binds them.
//
// Scores come from a measured table (`readBindingTable`), from a surrogate fitted to one, or from a hand-made rule. The label
// of the task names the source.

import { type EnumerableSequenceEnvironment, sequenceEnvironment } from "../../gfn/environment/sequence.ts";
import { checkTerminal, type Task } from "../task.ts";
import { EIGHT_MERS, LENGTH, LETTERS, sequenceAt, sequenceIndex } from "./eight-mers.ts";
import { TFBIND8_DEFAULTS, type Tfbind8Options } from "./options.ts";
import { simplifiedScore } from "./simplified.ts";
import { SURROGATE, surrogateTable } from "./surrogate.ts";

export type { Tfbind8Options };

/** The environment alone, without the table of scores. */
export function tfbind8Environment({ stick }: Pick<Tfbind8Options, "stick">): EnumerableSequenceEnvironment {
  return sequenceEnvironment({ alphabet: LETTERS, length: LENGTH, stick });
}

/**
 * DNA strings of eight letters, scored by how strongly a transcription factor binds them. The default table is a
 * surrogate that was fitted to a measured one; the label of the task names the source.
 *
 * @example
 * ```ts
 * import { tfbind8Task } from "gflownet";
 *
 * const task = tfbind8Task({ stick: 0.25, table: "simplified" });
 * console.log(task.label); // simplified hand-made rule, not a measured table
 * console.log(task.scores.length, task.decode(0)); // 65536 AAAAAAAA
 * ```
 */
export function tfbind8Task({
  stick,
  table = TFBIND8_DEFAULTS.table,
  source = TFBIND8_DEFAULTS.source,
}: Tfbind8Options): Task<EnumerableSequenceEnvironment> {
  return {
    name: "tfbind8",
    ...scoresOf(table, source),
    environment: tfbind8Environment({ stick }),
    strings: { letters: LETTERS.length, length: LENGTH },
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
    throw new RangeError(`tfbind8: table must have ${EIGHT_MERS} scores, got ${table.length}`);
  }
  return { label: `scores from ${source}`, scores: table };
}
