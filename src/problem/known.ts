// The known strings of a problem file, from its list or from a table.

import type { Constraint } from "../constraints/constraint.ts";
import type { SequenceSpace } from "../constraints/space.ts";
import { violationOf } from "../constraints/violation.ts";
import { show, UserError } from "../issues.ts";
import { type Alphabet, stringReader } from "./alphabet.ts";
import { type FilePlace, namedFile } from "./folder-files.ts";
import type { KnownString } from "./problem.ts";
import type { PROBLEM_FIELDS } from "./problem-keys.ts";
import type { Report } from "./report.ts";
import type { Values } from "./shapes.ts";
import { readTextTable, stringRows } from "./string-table.ts";

type KnownValues = NonNullable<Values<typeof PROBLEM_FIELDS>["known"]>;

export interface KnownContext {
  readonly alphabet: Alphabet;
  readonly space: SequenceSpace;
  readonly constraints: readonly Constraint[];
  readonly place: FilePlace;
  readonly report: Report;
}

/** A string with its score and the place where it was written. */
interface Entry {
  readonly string: string;
  readonly score: number;
  readonly path: string;
  /** The row of a table. */
  readonly row?: number;
}

/** Wrong rows of a table that are reported one by one. */
const MOST_ROWS = 3;

export async function readKnown(values: KnownValues, context: KnownContext): Promise<KnownString[]> {
  const entries =
    "file" in values
      ? await entriesOfTable(values, context)
      : entriesOfList(values as Exclude<KnownValues, { readonly file?: string }>);
  return readStrings(entries, context);
}

function entriesOfList(items: Extract<KnownValues, readonly unknown[]>): Entry[] {
  return items.flatMap((item, i) =>
    item?.string === undefined || item.score === undefined
      ? []
      : [{ string: item.string, score: item.score, path: `known[${i}].string` }],
  );
}

async function entriesOfTable(
  { file: name, string, score }: Exclude<KnownValues, readonly unknown[]>,
  { place, report }: KnownContext,
): Promise<Entry[]> {
  const path = "known.file";
  if (name === undefined) return [];
  const found = await namedFile(name, place);
  if ("problem" in found) {
    report.issue(path, "file", found.problem);
    return [];
  }
  try {
    const rows = stringRows(await readTextTable(found.file), { string, score });
    const wrong = rows.flatMap(({ row, string: text, score: value }) => {
      if (typeof value === "object" && value !== null)
        return [`row ${row}: the score must be a number, got ${show(value.text)}`];
      return typeof value === "number" && text === ""
        ? [`row ${row}: the score ${value} must have a string, got none`]
        : [];
    });
    reportRows(wrong, path, report);
    const missing = rows.filter(({ score: value }) => value === null).length;
    if (missing > 0) report.note(path, `${missing} of ${rows.length} rows have no score and are left out`);
    return rows.flatMap(({ row, string: text, score: value }) =>
      typeof value === "number" ? [{ string: text, score: value, path, row }] : [],
    );
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    report.issue(path, "file", `${name}: ${error.issues[0].message}`);
    return [];
  }
}

/** Reads the letters of all strings. Those that are no legal designs stay known, because their scores inform too. */
function readStrings(
  entries: readonly Entry[],
  { alphabet, space, constraints, report }: KnownContext,
): KnownString[] {
  const read = stringReader(alphabet);
  const wrong: string[] = [];
  const changed: string[] = [];
  const illegal: string[] = [];
  const known = entries.flatMap(({ string: text, score, path, row }): KnownString[] => {
    try {
      const { tokens, string, note } = read(text);
      if (note !== null) changed.push(note);
      const violation = violationOf(space, constraints, tokens);
      if (violation) illegal.push(`${string} ${violation.message}`);
      return [{ string, tokens, score, legal: violation === null }];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (row === undefined) report.issue(path, "letters", `must ${error.message}`);
      else wrong.push(`row ${row}: the string must ${error.message}`);
      return [];
    }
  });
  reportRows(wrong, "known.file", report);
  if (changed.length > 0) report.note("known", `${changed[0]}${others(changed.length)}`);
  if (illegal.length > 0)
    report.note("known", `${illegal[0]}${others(illegal.length)}, so it is known but no design`);
  return known;
}

function others(count: number): string {
  return count > 1 ? `, and ${count - 1} more like it` : "";
}

function reportRows(problems: readonly string[], path: string, report: Report): void {
  for (const problem of problems.slice(0, MOST_ROWS)) report.issue(path, "row", problem);
  const more = problems.length - MOST_ROWS;
  if (more > 0) report.issue(path, "row", `there are ${more} more rows of this kind`);
}
