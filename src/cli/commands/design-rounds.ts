// Rounds with a laboratory: results are told, and strings to measure are proposed.

import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { withScores } from "../../design/design-parts.ts";
import { DesignStopped, runDesign } from "../../design/design-run.ts";
import { distanceOf } from "../../design/finish-design.ts";
import { designsIn, tellKnown } from "../../design/known-designs.ts";
import { type Proposal, plateCsv, proposeFrom, proposeUniform } from "../../design/propose.ts";
import { readResults, type ToldResults } from "../../design/tell.ts";
import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { withDiskErrors } from "../../disk/run-error.ts";
import type { ConstrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import { UserError } from "../../issues.ts";
import type { Problem } from "../../problem/problem.ts";
import { formatCount } from "../../report/text-format.ts";
import { commandLine } from "../command-name.ts";
import { DesignDisplay } from "../design-display.ts";
import { printJson } from "../output.ts";
import { checkOutputFile } from "../output-file.ts";
import { shellPath } from "../paths.ts";
import { Stop } from "../stop.ts";
import type { DesignCommand, ProblemInput } from "./design.ts";

/** Tells results, proposes strings, or both in this order. */
export async function designRounds(
  file: string,
  { problem, text, name }: ProblemInput,
  command: DesignCommand,
): Promise<void> {
  const folder = resolve(command.folder ?? join(dirname(resolve(file)), `${name}-rounds`));
  const { tell, propose, out } = command;
  await checkPlate(command);
  const results = tell === undefined ? null : await readResults(tell, problem);
  // Scores come from the laboratory, whatever oracle the problem has.
  const laboratory = { ...problem, oracle: null };
  const say = (line: string) => {
    if (!command.quiet && !command.json) process.stdout.write(`${line}\n`);
  };
  const place = { problem: laboratory, problemText: text, folder, budget: 0 };
  const { known, legal, environment } = await withScores(place, async ({ store, environment }) => {
    await tellKnown(store, problem);
    if (results) await store.tell(results.scores);
    return { known: store.scored().length, legal: designsIn(store, environment).length, environment };
  });
  if (results) say(toldText(results, known, known - legal));
  if (propose === undefined || out === undefined) {
    if (command.json) printJson({ kind: "told", folder, known, strings: results?.scores.length });
    return;
  }
  const round = { text, folder, known, legal, environment, command, count: propose };
  const proposals = await chooseProposals(laboratory, round);
  if (!proposals) return;
  const columns = problem.objectives?.map(({ name: each }) => each) ?? ["score"];
  await mkdir(dirname(resolve(out)), { recursive: true });
  await withDiskErrors("written", out, () => writeFileAtomically(resolve(out), plateCsv(proposals, columns)));
  if (command.json) printJson({ kind: "proposals", folder, out: resolve(out), count: propose, known });
  const next = ["design", shellPath(file), "--tell", "RESULTS.csv", "--propose", String(propose)];
  if (command.folder !== undefined) next.push("--folder", shellPath(command.folder));
  say(
    `${formatCount(propose)} strings to measure are in ${out}. Fill in its ${columns.length > 1 ? "columns" : "column"} ${columns.join(" and ")}, then: ${commandLine(...next, "--out", "NEXT.csv")}`,
  );
}

async function checkPlate({ propose, out, force }: DesignCommand): Promise<void> {
  if (propose === undefined) {
    if (out !== undefined) throw new UserError("--out needs --propose N if results are told");
    return;
  }
  if (out === undefined)
    throw new UserError("--propose needs --out FILE, the file for the strings to measure");
  await checkOutputFile("--out", out, async (isFile) => {
    if (isFile && force) return;
    throw new UserError(`--out: ${out} exists; remove it, choose another name, or give --force`);
  });
}

function toldText({ scores, measured, missing }: ToldResults, known: number, illegal: number): string {
  const lack = missing > 0 ? `, ${formatCount(missing)} rows had no score` : "";
  const unused =
    illegal > 0
      ? `, ${formatCount(illegal)} of them for strings that break the length or a constraint, which training leaves out`
      : "";
  return `${formatCount(scores.length)} strings from ${formatCount(measured)} measurements were added${lack}; ${formatCount(known)} scores are known${unused}.`;
}

interface Round {
  readonly text: string;
  readonly folder: string;
  /** Number of known scores, and of those whose strings are legal. */
  readonly known: number;
  readonly legal: number;
  readonly environment: ConstrainedSequenceEnvironment;
  readonly command: DesignCommand;
  readonly count: number;
}

/** Without the score of a legal string, the strings are uniformly drawn; afterwards a policy that learned from all scores
 * draws them. Null if a signal ended the training. */
async function chooseProposals(problem: Problem, round: Round): Promise<Proposal[] | null> {
  const { text, folder, known, legal, environment, command, count } = round;
  const { radius, iterations, seconds, engine, threads } = command;
  const options = { count, radius, distance: distanceOf(problem), seed: problem.seed + known };
  if (legal === 0) {
    return proposeUniform(environment, { ...options, isNew: (string) => environment.isLegal(string) });
  }
  const stop = new Stop();
  return stop.whileListening(async () => {
    const display = new DesignDisplay(command, problem, 0);
    const run = await runDesign({
      ...{ problem, problemText: text, folder, budget: 0, iterations, seconds, engine, threads },
      signal: stop.signal,
      onEvent: (event) => display.handle(event),
    })
      .catch((error: unknown) => {
        if (!(error instanceof DesignStopped)) throw error;
        return null;
      })
      .finally(() => display.clear());
    if (!run || run.stopped) {
      await run?.trained.dispose();
      process.stderr.write(
        "gflownet: stopped before strings were proposed; told results are kept; start again without --tell\n",
      );
      process.exitCode = stop.reason?.exitCode;
      return null;
    }
    try {
      const measured = new Set(run.scored.map(({ string }) => string));
      const isNew = (string: string) => !measured.has(string) && run.environment.isLegal(string);
      return await proposeFrom(run.trained, { ...options, isNew });
    } finally {
      await run.trained.dispose();
    }
  });
}
