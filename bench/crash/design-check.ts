// Checks the folder of a design after a kill, and compares a finished design with an uninterrupted one.
//
// Until the budget is spent, an interrupted design does the same as an uninterrupted one. Strings whose answers were on their
// way are sent and counted again, so that as many strings get no score at the end: they are not sent any more, or their answers
// were on their way when the last call was spent.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { chooseCandidates } from "../../src/design/candidates.ts";
import { DESIGN_FILES, isDesignFile } from "../../src/design/design-folder.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/gfn/training/checkpoint.ts";
import { RUN_FILES } from "../../src/run/run-files.ts";
import { eventDifferences, eventsIn, type Finding, type Stage } from "./check.ts";
import { scoreOf } from "./score-of.mjs";

/** What the checks must know about a design. */
export interface DesignLimits {
  readonly budget: number;
  /** Most strings that are on their way at the same time: one batch per worker. */
  readonly inFlight: number;
  readonly iterations: number;
  readonly candidates: number;
  readonly radius: number;
}

/** The journal of a design. */
export interface Journal {
  /** Strings that were sent, in the order of the first time. */
  readonly sent: readonly string[];
  /** Calls: strings that were sent, counted each time. */
  readonly calls: number;
  readonly scores: ReadonlyMap<string, number>;
}

/** Content of the folder of an uninterrupted design, without times. */
export interface DesignReference {
  readonly journal: Journal;
  readonly candidates: string;
  readonly fasta: string;
  readonly checkpoint: Uint8Array;
  readonly events: readonly string[];
}

/** Parses the complete lines of a journal. Throws if one is damaged, or has a wrong score. */
export function journalIn(text: string): Journal {
  const sent = new Set<string>();
  const scores = new Map<string, number>();
  let calls = 0;
  for (const [i, line] of text.split("\n").slice(0, -1).entries()) {
    const parsed = parsedLine(line, i + 1);
    for (const string of parsed.sent ?? []) sent.add(string);
    calls += parsed.sent?.length ?? 0;
    for (const { string, score } of parsed.answers ?? []) {
      if (score !== scoreOf(string))
        throw new Error(`line ${i + 1} has the score ${score} of ${string} instead of ${scoreOf(string)}`);
      if (!sent.has(string)) throw new Error(`line ${i + 1} has an answer for ${string}, which was not sent`);
      scores.set(string, score);
    }
  }
  return { sent: [...sent], calls, scores };
}

interface ParsedLine {
  readonly sent?: readonly string[];
  readonly answers?: readonly { readonly string: string; readonly score?: number }[];
}

function parsedLine(line: string, number: number): ParsedLine {
  try {
    return JSON.parse(line) as ParsedLine;
  } catch (error) {
    throw new Error(`line ${number} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

export async function designReference(folder: string): Promise<DesignReference> {
  const text = (...path: string[]) => readFile(join(folder, ...path), "utf8");
  const bytes = await readFile(join(folder, DESIGN_FILES.run, RUN_FILES.checkpoint));
  return {
    journal: journalIn(await text(DESIGN_FILES.journal)),
    candidates: await text(DESIGN_FILES.candidates),
    fasta: await text(DESIGN_FILES.fasta),
    checkpoint: encodeCheckpoint({ ...decodeCheckpoint(bytes, "checkpoint"), seconds: 0 }),
    events: eventsIn(await text(DESIGN_FILES.run, RUN_FILES.metrics)),
  };
}

/** Checks the folder after a process has ended in any way. `before` is the result after the previous process. */
export async function inspectDesign(
  folder: string,
  reference: DesignReference,
  limits: DesignLimits,
  before?: Finding,
): Promise<Finding> {
  const problems: string[] = [];
  const read = (...path: string[]) =>
    readFile(join(folder, ...path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
  const attempt = <T>(what: string, parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
      return undefined;
    }
  };
  problems.push(...(await foreignFiles(folder)));
  const journalBytes = await read(DESIGN_FILES.journal);
  const journal = attempt(DESIGN_FILES.journal, () => journalIn(journalBytes?.toString() ?? ""));
  if (journal) problems.push(...journalProblems(journal, reference.journal, limits));

  const key = await read(DESIGN_FILES.design);
  if (!key) {
    if (journal && journal.calls > 0) problems.push(`strings were sent without a ${DESIGN_FILES.design}`);
    if (before && before.stage !== "no config") problems.push(`${DESIGN_FILES.design} was lost`);
    return { stage: "no config", iteration: 0, problems };
  }
  attempt(DESIGN_FILES.design, () => JSON.parse(key.toString()));
  const bytes = await read(DESIGN_FILES.run, RUN_FILES.checkpoint);
  const iteration = bytes
    ? (attempt(RUN_FILES.checkpoint, () => decodeCheckpoint(bytes, RUN_FILES.checkpoint))?.iteration ?? 0)
    : 0;
  if (before && iteration < before.iteration)
    problems.push(`the checkpoint went back from iteration ${before.iteration} to ${iteration}`);
  const metrics = await read(DESIGN_FILES.run, RUN_FILES.metrics);
  attempt(RUN_FILES.metrics, () => eventsIn(metrics?.toString() ?? ""));
  const stage: Stage =
    (await read(DESIGN_FILES.report)) !== null
      ? "ended"
      : iteration === limits.iterations
        ? "at the end"
        : bytes
          ? "training"
          : "no checkpoint";
  return { stage, iteration, problems };
}

/** Files that do not belong into a design folder, not even after a kill. */
async function foreignFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.filter((name) => !isDesignFile(name)).map((name) => `${name} is not a file of a design`);
}

function journalProblems(journal: Journal, reference: Journal, limits: DesignLimits): string[] {
  const problems: string[] = [];
  const unanswered = journal.sent.filter((string) => !journal.scores.has(string)).length;
  if (journal.calls > limits.budget)
    problems.push(`${journal.calls} calls were made, but the budget is ${limits.budget}`);
  if (unanswered > limits.inFlight)
    problems.push(`${unanswered} strings have no answer, but at most ${limits.inFlight} can be on their way`);
  const other = journal.sent.findIndex((string, i) => string !== reference.sent[i]);
  if (other >= 0)
    problems.push(`string ${other + 1} is ${journal.sent[other]} instead of ${reference.sent[other]}`);
  return problems;
}

/** How a finished design relates to the uninterrupted one. */
export interface DesignComparison {
  /** Strings that the uninterrupted design scored and this one did not, because calls were counted twice. */
  readonly missing: number;
  readonly problems: readonly string[];
}

/** Compares a finished design with the uninterrupted one. */
export async function compareDesigns(
  folder: string,
  reference: DesignReference,
  limits: DesignLimits,
): Promise<DesignComparison> {
  const problems: string[] = [];
  const found = await designReference(folder);
  const { sent, calls, scores } = found.journal;
  const repeated = calls - sent.length;
  const distinct = Math.min(reference.journal.sent.length, limits.budget - repeated);
  const missing = reference.journal.sent.length - scores.size;
  const expected = reference.journal.sent.slice(0, distinct);
  if (sent.length !== distinct || expected.some((string, i) => string !== sent[i]))
    problems.push(
      `${sent.length} strings were sent instead of the first ${distinct} of the uninterrupted design`,
    );
  // Strings that were on their way at a kill cannot be sent again once the budget is spent.
  if (scores.size !== sent.length && calls < limits.budget)
    problems.push(
      `${sent.length - scores.size} strings have no answer at the end, though ${limits.budget - calls} calls are left`,
    );
  problems.push(...candidateProblems(found, limits));
  if (missing > 0) return { missing, problems };
  if (found.candidates !== reference.candidates) problems.push(`${DESIGN_FILES.candidates} differs`);
  if (found.fasta !== reference.fasta) problems.push(`${DESIGN_FILES.fasta} differs`);
  if (!Buffer.from(found.checkpoint).equals(reference.checkpoint)) problems.push("the checkpoint differs");
  problems.push(...eventDifferences(found.events, reference.events));
  if (found.events.length < reference.events.length)
    problems.push(`the metrics have only ${found.events.length} of ${reference.events.length} events`);
  return { missing, problems };
}

/** The candidates must be those that follow from the scores of the journal. */
function candidateProblems({ journal, candidates }: DesignReference, limits: DesignLimits): string[] {
  const designs = Array.from(journal.scores, ([string, score]) => ({ string, score }));
  const chosen = chooseCandidates(designs, {
    ...{ count: limits.candidates, radius: limits.radius, distance: "hamming", goal: "maximise", known: [] },
  });
  const lines = candidates.trim().split("\n").slice(1);
  const written = lines.map((line) => line.split(",").slice(0, 3).join());
  const expected = chosen.map(({ rank, string, score }) => [rank, string, score].join());
  const at = expected.findIndex((line, i) => line !== written[i]);
  if (at < 0 && written.length === expected.length) return [];
  return [`candidate ${at + 1} is ${written[at] ?? "missing"} instead of ${expected[at] ?? "nothing"}`];
}
