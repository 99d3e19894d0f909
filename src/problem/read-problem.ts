// Reads a problem file, checks it and reports all mistakes at once. Nothing is run, and nothing outside its folder is read.

import { dirname, extname, resolve } from "node:path";
import { readRegularFile } from "../disk/regular-file.ts";
import { show, UserError, withSource } from "../issues.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import { alphabetOf } from "./alphabet.ts";
import { readConstraints } from "./constraints.ts";
import { type Node, nodeOf, parseText, plainValue } from "./document.ts";
import { readKnown } from "./known.ts";
import { lettersOf } from "./letters.ts";
import { NO_NOISE, readNoise } from "./noise.ts";
import { readObjectives } from "./objectives.ts";
import { readOracle } from "./oracle-spec.ts";
import type { Problem, RewardShaping } from "./problem.ts";
import { type PROBLEM_FIELDS, PROBLEM_SHAPE } from "./problem-keys.ts";
import { problemReport, type Report } from "./report.ts";
import type { Values } from "./shapes.ts";

/** Bytes of a problem file. Long lists of known strings belong in a table. */
const LARGEST = 2 ** 20;

export interface ProblemOptions {
  /** Files outside the folder of the problem file that it may name: those given on the command line. */
  readonly files?: readonly string[];
}

/** A problem, and what was read differently from how it was written. */
export interface ReadProblem {
  readonly problem: Problem;
  /** Sentences such as `constraints.forbid[0]: "gatc" is read as "GATC" (line 4)`. */
  readonly notes: readonly string[];
}

/** Reads `problem.yaml` or `problem.json`. Throws a UserError with all issues. */
export async function readProblem(file: string, options: ProblemOptions = {}): Promise<ReadProblem> {
  const bytes = await readRegularFile(file, LARGEST);
  return parseProblemText(String(bytes), { ...options, source: file, folder: dirname(resolve(file)) });
}

export interface ParseProblemOptions extends ProblemOptions {
  /** The name of the file in messages. One that ends in .json must be JSON. */
  readonly source?: string;
  /** The folder that names of files are relative to. Default: the working directory. */
  readonly folder?: string;
}

/** Checks the text of a problem file. Throws a UserError with all issues. */
export async function parseProblemText(
  text: string,
  options: ParseProblemOptions = {},
): Promise<ReadProblem> {
  const parsed = parseText(text, extname(options.source ?? "").toLowerCase() === ".json");
  if ("issues" in parsed) throw new UserError(parsed.issues, { source: options.source });
  return problemOfNode(parsed.root, options);
}

/** Checks a problem that is given as an object with the keys of a problem file. Throws a UserError with all issues. */
export async function parseProblem(value: unknown, options: ParseProblemOptions = {}): Promise<ReadProblem> {
  return problemOfNode(nodeOf(value), options);
}

async function problemOfNode(
  root: Node,
  { source, folder = process.cwd(), files = [] }: ParseProblemOptions,
): Promise<ReadProblem> {
  if (root.kind !== "map") {
    throw new UserError(`must be ${PROBLEM_SHAPE.rule}, got ${show(plainValue(root))}`, { source });
  }
  const report = problemReport();
  const values = PROBLEM_SHAPE.read(root, "", report) ?? {};
  try {
    const problem = await problemOf(values, { folder, files, report });
    report.throwIssues(source);
    // Without issues every part of the problem is there.
    return { problem: problem as Problem, notes: report.notes };
  } catch (error) {
    throw source === undefined ? error : withSource(error, source);
  }
}

async function problemOf(
  values: Values<typeof PROBLEM_FIELDS>,
  {
    folder,
    files,
    report,
  }: { readonly folder: string; readonly files: readonly string[]; readonly report: Report },
): Promise<Problem | null> {
  const place = { folder, allowed: files };
  const reward = readReward(values.reward ?? {}, report);
  const oracle = values.oracle === undefined ? null : await readOracle(values.oracle, { place, report });
  const objectives = values.objectives && readObjectives(values.objectives, report);
  reportObjectiveConflicts(values, report);
  const alphabet = readAlphabet(values.alphabet, report);
  const length =
    typeof values.length === "number" ? { min: values.length, max: values.length } : values.length;
  // The other keys can only be checked against an alphabet and a length.
  if (!alphabet || length?.min === undefined || length.max === undefined) return null;
  const space = { tokens: alphabet.tokens, length: { min: length.min, max: length.max } };
  const letters = lettersOf(alphabet, report);
  const constraints = readConstraints(values.constraints ?? {}, { alphabet, space, letters, report });
  const noise = values.noise ? readNoise(values.noise, { space, letters, report }) : NO_NOISE;
  const known = values.known
    ? await readKnown(values.known, { alphabet, space, constraints, objectives, place, report })
    : [];
  return {
    alphabet,
    space,
    constraints,
    noise,
    oracle,
    ...(objectives && { objectives }),
    ...(values.preferences === "conditioned" && { preferences: values.preferences }),
    reward,
    known,
    ...(values.budget !== undefined && { budget: values.budget }),
    failures: values.failures ?? "skip",
    seed: values.seed ?? 0,
    training: withoutUndefined(values.training ?? {}) as Problem["training"],
    folder,
  };
}

function readAlphabet(given: Values<typeof PROBLEM_FIELDS>["alphabet"], report: Report) {
  if (given === undefined || (typeof given !== "string" && given.includes(undefined))) return null;
  const alphabet = alphabetOf(given as string | readonly string[]);
  if (!("problem" in alphabet)) return alphabet;
  report.issue("alphabet", "invalid", alphabet.problem);
  return null;
}

/** Keys that do not go together with several objectives, or without them. */
function reportObjectiveConflicts(values: Values<typeof PROBLEM_FIELDS>, report: Report): void {
  const { objectives, oracle, reward, preferences, noise } = values;
  if (preferences === "conditioned" && objectives === undefined)
    report.issue("preferences", "conflict", "conditioned needs `objectives`");
  if (preferences === "conditioned" && noise?.when === "after")
    report.issue("preferences", "conflict", "conditioned excludes noise `after`; use fixed preferences");
  if (preferences === "conditioned" && reward?.scale !== undefined && reward.scale !== "none")
    report.issue("reward.scale", "conflict", "must be none if preferences are conditioned");
  if (objectives === undefined) return;
  if (reward?.goal === "minimise")
    report.issue("reward.goal", "conflict", "must be maximise: each of the `objectives` has its own goal");
  if (typeof oracle !== "object") return;
  if (oracle.kind === "landscape")
    report.issue("oracle.landscape", "conflict", "gives one score, so it excludes `objectives`");
  if (oracle.kind === "table" && oracle.score !== undefined)
    report.issue("oracle.score", "conflict", "excludes `objectives`, whose names are the columns");
}

function readReward(
  values: NonNullable<Values<typeof PROBLEM_FIELDS>["reward"]>,
  report: Report,
): RewardShaping {
  if (typeof values.exponent === "number" && values.effectiveStrings !== undefined) {
    report.issue(
      "reward.effectiveStrings",
      "conflict",
      `belongs to \`exponent\` auto, and it is ${values.exponent}`,
    );
  }
  return withoutUndefined({ ...values, goal: values.goal ?? "maximise" });
}
