// The known strings of a problem file, from its list or from a table.

import type { Constraint } from "../constraints/constraint.ts";
import type { SequenceSpace } from "../constraints/space.ts";
import { violationOf } from "../constraints/violation.ts";
import { UserError } from "../issues.ts";
import { answerOfRecord, type DesignObjective } from "../oracle/design-objectives.ts";
import { type Alphabet, stringReader } from "./alphabet.ts";
import { type FilePlace, namedFile } from "./folder-files.ts";
import { measuredRows } from "./measured-rows.ts";
import type { KnownString } from "./problem.ts";
import type { PROBLEM_FIELDS } from "./problem-keys.ts";
import type { Report } from "./report.ts";
import type { Values } from "./shapes.ts";
import { readTextTable } from "./string-table.ts";

type KnownValues = NonNullable<Values<typeof PROBLEM_FIELDS>["known"]>;

export interface KnownContext {
  readonly alphabet: Alphabet;
  readonly space: SequenceSpace;
  readonly constraints: readonly Constraint[];
  readonly objectives?: readonly DesignObjective[];
  readonly place: FilePlace;
  readonly report: Report;
}

/** A string with its score and the place where it was written. */
interface Entry extends Pick<KnownString, "score" | "values"> {
  readonly string: string;
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
      : entriesOfList(values as Exclude<KnownValues, { readonly file?: string }>, context);
  return readStrings(entries, context);
}

function entriesOfList(
  items: Extract<KnownValues, readonly unknown[]>,
  { objectives, report }: KnownContext,
): Entry[] {
  return items.flatMap((item, i): Entry[] => {
    if (item?.string === undefined) return [];
    const { string, kind } = item;
    const path = `known[${i}].string`;
    if ((kind === "scores") !== (objectives !== undefined)) {
      const remedy = objectives ? "with `objectives`, give `scores`" : "without `objectives`, give `score`";
      report.issue(`known[${i}].${kind}`, "conflict", `must be absent; ${remedy}`);
      return [];
    }
    if (item.kind === "score") return item.score === undefined ? [] : [{ string, score: item.score, path }];
    if (!objectives || item.scores === undefined) return [];
    const { scores } = item;
    const answer = answerOfRecord(objectives, Object.fromEntries(scores));
    if ("failure" in answer) report.issue(`known[${i}].scores`, "missing", answer.failure);
    return "failure" in answer ? [] : [{ string, path, ...answer }];
  });
}

async function entriesOfTable(
  { file: name, string, score }: Exclude<KnownValues, readonly unknown[]>,
  { objectives, place, report }: KnownContext,
): Promise<Entry[]> {
  const path = "known.file";
  if (name === undefined) return [];
  const found = await namedFile(name, place);
  if ("problem" in found) {
    report.issue(path, "file", found.problem);
    return [];
  }
  try {
    const table = measuredRows(await readTextTable(found.file), { string, score, objectives });
    reportRows(
      table.wrong.map(({ message }) => message),
      path,
      report,
    );
    const { missing, total } = table;
    if (missing > 0) report.note(path, `${missing} of ${total} rows have no score and are left out`);
    return table.measured.map((entry) => ({ ...entry, path }));
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
  const known = entries.flatMap(({ string: text, score, values, path, row }): KnownString[] => {
    try {
      const { tokens, string, note } = read(text);
      if (note !== null) changed.push(note);
      const violation = violationOf(space, constraints, tokens);
      if (violation) illegal.push(`${string} ${violation.message}`);
      const legal = violation === null;
      return [{ string, tokens, score, ...(values && { values }), legal }];
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
