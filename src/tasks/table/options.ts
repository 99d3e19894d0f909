// Options of the task `table`: their defaults, help and rules.

import type { Issue } from "../../issues.ts";
import { depends, fileKey, is, type Keys, key } from "../../settings/keys.ts";
import { boolean, number, text, whole } from "../../settings/kinds.ts";
import { stickKey } from "../stick-key.ts";
import { MAX_TABLE_SIZE } from "../task.ts";

/** The strings of a table: their letters and lengths. */
export interface TableStrings {
  /** The letters, each one character. */
  readonly alphabet: string;
  /** Number of letters of a string; the most if `variable`. */
  readonly length: number;
  /** Whether strings may be shorter, down to no letters. */
  readonly variable: boolean;
}

/** The options of the task in a config. */
export interface TableConfigOptions extends TableStrings {
  readonly stick: number;
  /** The path of the table. */
  readonly scores: string;
  /** Score of the strings that the table lacks. */
  readonly missing: number;
}

export const TABLE_DEFAULTS = { variable: false, missing: 0 } as const;

/** Letters of the longest string: one letter out of two and more of them exceed a table of scores. */
const MOST_LETTERS = Math.log2(MAX_TABLE_SIZE);

export const TABLE_KEYS: Keys<TableConfigOptions> = {
  stick: stickKey,
  scores: fileKey(
    "task",
    "table of strings with scores, in two columns of a CSV, TSV or text file",
    depends("none, it must be given"),
  ),
  alphabet: {
    ...key(
      text("a text of distinct letters"),
      "task",
      "letters of the strings",
      depends("those of the table"),
    ),
    from: "scores",
  },
  length: {
    ...key(whole(1, MOST_LETTERS), "task", "number of letters of a string", depends("that of the table")),
    from: "scores",
  },
  variable: key(
    boolean(),
    "task",
    "strings of all lengths up to `length`, also without letters",
    is(TABLE_DEFAULTS.variable),
  ),
  missing: key(
    number({ from: 0 }),
    "task",
    "score of strings that the table lacks",
    is(TABLE_DEFAULTS.missing),
  ),
};

/** Number of strings. */
export function stringCount({ alphabet, length, variable }: TableStrings): number {
  const letters = alphabet.length;
  if (!variable) return letters ** length;
  return letters === 1 ? length + 1 : (letters ** (length + 1) - 1) / (letters - 1);
}

/** Issues with combinations of options, each of which is valid alone. */
export function tableIssues(strings: TableStrings): Issue[] {
  const { alphabet, length } = strings;
  if (new Set(alphabet).size !== alphabet.length || /[\s\p{Cc}\p{Cf}\p{M}\ud800-\udfff]/u.test(alphabet)) {
    const message = `must have each letter once, of visible characters, got ${JSON.stringify(alphabet)}`;
    return [{ path: "alphabet", code: "range", message }];
  }
  if (stringCount(strings) <= MAX_TABLE_SIZE) return [];
  const message = `must give at most 2^${MOST_LETTERS} strings, got ${length} letters out of the ${alphabet.length} of \`alphabet\`; for longer strings, describe them in a problem file and train with \`gflownet design\``;
  return [{ path: "length", code: "range", message }];
}
