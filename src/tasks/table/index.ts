// Task `table`: all strings over one alphabet, of one length or up to a length, with scores from a table of the user.

import { type EnumerableSequenceEnvironment, sequenceEnvironment } from "../../gfn/environment/sequence.ts";
import { sequenceCodec } from "../../gfn/environment/sequence-codec.ts";
import { editDistance } from "../../math/edit-distance.ts";
import { checkTaskOptions } from "../check-task-options.ts";
import { checkTerminal, type Task } from "../task.ts";
import { stringCount, TABLE_DEFAULTS, TABLE_KEYS, type TableStrings, tableIssues } from "./options.ts";
import { mistakesOf, readScores, stringsOf } from "./read-scores.ts";

/** Options of `tableTask`. */
export interface TableTaskOptions extends Partial<TableStrings> {
  /** Probability that the environment replaces an action by a uniform draw among the legal ones. */
  readonly stick: number;
  /** The text of the table: two columns, strings and scores, separated by commas, tabs, semicolons or spaces. */
  readonly table: string;
  /** The name of the table, for messages and the label of the task. */
  readonly source?: string;
  /** Score of the strings that the table lacks. Default: 0. */
  readonly missing?: number;
}

/** The environment alone, without the scores. */
export function tableEnvironment({
  stick,
  alphabet,
  length,
  variable,
}: TableStrings & { readonly stick: number }): EnumerableSequenceEnvironment {
  return sequenceEnvironment({ alphabet, length, variable, stick });
}

/**
 * All strings over one alphabet, with scores from a table. The letters and the length are those of the table, unless they
 * are given. Throws a UserError that names the lines of mistakes.
 *
 * @example
 * ```ts
 * import { tableTask } from "gflownet";
 *
 * const task = tableTask({ stick: 0, table: "string,score\nAA,1\nAB,3\nBA,2\n" });
 * console.log(task.environment.name); // strings of 2 letters out of AB
 * console.log(task.label); // 3 of 4 strings have scores from the table, the others 0
 * console.log(task.scores.join(" ")); // 1 3 2 0
 * ```
 */
export function tableTask({
  stick,
  table,
  source = "the table",
  variable = TABLE_DEFAULTS.variable,
  missing = TABLE_DEFAULTS.missing,
  ...given
}: TableTaskOptions): Task<EnumerableSequenceEnvironment> {
  const rows = readScores(table, source);
  const found = stringsOf(rows, variable);
  const { alphabet = found.alphabet, length = found.length } = given;
  const strings: TableStrings = { alphabet, length, variable };
  checkTaskOptions(TABLE_KEYS, tableIssues, { stick, missing, ...strings, scores: source });
  const environment = tableEnvironment({ stick, ...strings });
  const codec = sequenceCodec(strings, "table");
  const count = stringCount(strings);
  const scores = new Float64Array(count).fill(missing);
  const mistakes = mistakesOf(source);
  for (const { line, string, score } of rows) {
    const problem = codec.problemWith(string);
    if (problem) mistakes.add(line, `${problem}${variable ? "" : lengthHint(string, strings)}`);
    else scores[indexOf(codec.encode(string), strings)] = score;
  }
  mistakes.throw();
  const others = rows.length < count ? `, the others ${missing}` : "";
  return {
    name: "table",
    label: `${rows.length} of ${count} strings have scores from ${source}${others}`,
    environment,
    scores,
    ...(variable ? { distance: editDistance } : { strings: { letters: alphabet.length, length } }),
    decode(terminal) {
      checkTerminal("table", terminal, count);
      return codec.decode(lettersOf(terminal, strings));
    },
    encode: (text) => indexOf(codec.encode(text), strings),
  };
}

function lengthHint(string: string, { alphabet, length }: TableStrings): string {
  const isShort = string.length < length && [...string].every((letter) => alphabet.includes(letter));
  return isShort ? "; correct it, or allow all lengths with `variable`" : "";
}

/** The terminal of a string: its place in alphabetical order among strings of its length, behind all shorter ones. */
function indexOf(tokens: Int32Array, { alphabet, variable }: TableStrings): number {
  const letters = tokens.filter((token) => token < alphabet.length);
  return letters.reduce((index, letter) => index * alphabet.length + letter + (variable ? 1 : 0), 0);
}

/** The letters of a terminal, the inverse of `indexOf`. */
function lettersOf(terminal: number, { alphabet, length, variable }: TableStrings): number[] {
  const size = alphabet.length;
  const letters: number[] = [];
  if (variable) {
    for (let rest = terminal; rest > 0; rest = Math.floor((rest - 1) / size)) letters.push((rest - 1) % size);
  } else {
    for (let rest = terminal; letters.length < length; rest = Math.floor(rest / size))
      letters.push(rest % size);
  }
  return letters.reverse();
}
