// Rounds with a laboratory: results are told, and strings to measure are proposed.

import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { ScoredDesign } from "../../design/candidates.ts";
import { DESIGN_FILES } from "../../design/design-folder.ts";
import { withScores } from "../../design/design-parts.ts";
import { distanceOf } from "../../design/distance.ts";
import { designsIn, tellKnown } from "../../design/known-designs.ts";
import { writeLaboratoryPage } from "../../design/rounds/laboratory-page.ts";
import { laboratoryRound } from "../../design/rounds/laboratory-round.ts";
import { plateCsv } from "../../design/rounds/plate.ts";
import type { Round } from "../../design/rounds/propose-round.ts";
import { proxyText, roundJson } from "../../design/rounds/round-text.ts";
import { readRounds } from "../../design/rounds/rounds-file.ts";
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
import { shellPath, shortPath } from "../paths.ts";
import { Stop } from "../stop.ts";
import { writeReport } from "../write-report.ts";
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
  if (command.seconds !== undefined) {
    throw new UserError(
      "--seconds cannot be used with --propose and --tell; --iterations sets the length of the policy's training",
    );
  }
  // Scores come from the laboratory, whatever oracle the problem has.
  const laboratory = { ...problem, oracle: null };
  const say = (line: string) => {
    if (!command.quiet && !command.json) process.stdout.write(`${line}\n`);
  };
  const place = { problem: laboratory, problemText: text, folder, budget: 0 };
  // The scores stay open while strings are proposed, so that no other process uses the folder.
  const { known, scored, environment, round } = await withScores(place, async ({ store, environment }) => {
    await tellKnown(store, problem);
    if (results) await store.tell(results.scores);
    const known = store.scored().length;
    const scored = designsIn(store, environment);
    if (results) say(toldText(results, known, known - scored.length));
    const round =
      propose === undefined
        ? null
        : await proposeRound(laboratory, {
            ...{ folder, scored, told: store.tellings, environment, command, count: propose },
          });
    return { known, scored, environment, round };
  });
  if (propose === undefined || out === undefined) {
    if (command.json) printJson({ kind: "told", folder, known, strings: results?.scores.length });
    return;
  }
  if (!round) return;
  const { proposals } = round;
  if (proposals.length < propose) {
    throw new UserError(
      `only ${proposals.length} new strings were found where ${propose} are to be proposed; propose fewer, or loosen the constraints`,
    );
  }
  say(roundText(round));
  if (command.json) printJson(roundJson(round.index, round, 0));
  const columns = problem.objectives?.map(({ name: each }) => each) ?? ["score"];
  await mkdir(dirname(resolve(out)), { recursive: true });
  await withDiskErrors("written", out, () => writeFileAtomically(resolve(out), plateCsv(proposals, columns)));
  await writeLaboratoryPage(folder, {
    ...{ name, environment, direction: problem.reward.goal, scored, rounds: await readRounds(folder) },
  });
  const report = join(folder, DESIGN_FILES.report);
  await writeReport([folder], report);
  if (command.json) printJson({ kind: "proposals", folder, out: resolve(out), count: propose, known });
  const next = ["design", shellPath(file), "--tell", "RESULTS.csv", "--propose", String(propose)];
  if (command.folder !== undefined) next.push("--folder", shellPath(command.folder));
  say(
    `${formatCount(propose)} strings to measure are in ${out}, figures in ${shortPath(report)}. Fill in its ${columns.length > 1 ? "columns" : "column"} ${columns.join(" and ")}, then: ${commandLine(...next, "--out", "NEXT.csv")}`,
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

interface LaboratoryInput {
  readonly folder: string;
  readonly scored: readonly ScoredDesign[];
  readonly told: number;
  readonly environment: ConstrainedSequenceEnvironment;
  readonly command: DesignCommand;
  readonly count: number;
}

/** The strings of the next round; null if a signal ended the work. */
async function proposeRound(
  problem: Problem,
  input: LaboratoryInput,
): Promise<(Round & { readonly index: number }) | null> {
  const { folder, scored, told, environment, command, count } = input;
  const { acquisition, iterations, engine, threads } = command;
  const stop = new Stop();
  return stop.whileListening(async () => {
    const display = new DesignDisplay(command, problem, 0);
    try {
      return await laboratoryRound({
        ...{ folder, scored, told, environment, count, acquisition, iterations, engine, threads },
        ...{ seed: problem.seed, goal: problem.reward.goal, distance: distanceOf(problem) },
        settings: problem.training,
        signal: stop.signal,
        onStage: (stage) => display.stage(stage),
      });
    } catch (error) {
      if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
      process.stderr.write(
        "gflownet: stopped before strings were proposed; told results are kept; start again without --tell\n",
      );
      process.exitCode = stop.reason?.exitCode;
      return null;
    } finally {
      display.clear();
    }
  });
}

/** What the round learned, and how good the last predictions were. */
function roundText({ proxy, tried, proxyCalls }: Round): string {
  if (proxy === null) return "There is no proxy yet: the strings are uniformly drawn.";
  return `The ${proxyText(tried)}; it scored ${formatCount(proxyCalls)} strings.`;
}
