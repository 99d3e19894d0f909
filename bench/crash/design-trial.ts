// A trial of `gflownet design`: a design with a program as its oracle that is killed several times and started again with the
// same command. Its folder and the processes of the oracle are checked after each kill.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DESIGN_FILES } from "../../src/design/design-folder.ts";
import type { Finding } from "./check.ts";
import {
  compareDesigns,
  type DesignLimits,
  type DesignReference,
  designReference,
  inspectDesign,
} from "./design-check.ts";
import { runCommandLine } from "./process.ts";
import {
  type Kill,
  type KillMode,
  killPoint,
  killPositions,
  type ProcessLength,
  processProblem,
  type Trial,
  type TrialContext,
} from "./trial.ts";

const SCORER = fileURLToPath(new URL("scorer.mjs", import.meta.url));
const [WORKERS, BATCH] = [3, 4];
const [CANDIDATES, RADIUS] = [20, 1];
/** Time in which the oracle's processes must notice that their input has ended. */
const LEFTOVER_SECONDS = 20;

/** The designs that are killed. The first spends its whole budget, so that calls that are counted twice are missing at the
 * end; the second scores every string, and the third learns proxies in rounds, both with calls to spare. */
const DESIGNS: readonly {
  readonly name: string;
  readonly alphabet: string;
  readonly length: number;
  readonly budget: number;
  readonly iterations: number;
  readonly flags?: readonly string[];
}[] = [
  { name: "data-set", alphabet: "DNA", length: 8, budget: 200, iterations: 1200 },
  { name: "table", alphabet: '"01"', length: 7, budget: 300, iterations: 600 },
  {
    ...{ name: "rounds", alphabet: "DNA", length: 8, budget: 200, iterations: 300 },
    flags: ["--rounds", "4", "--batch", "24"],
  },
];

/** A design that trials kill, and the results of the same design without interruption. */
export interface DesignTrialRun {
  /** The command without `--out`. */
  readonly parameters: readonly string[];
  /** Occurs in the arguments of the processes of the oracle. */
  readonly mark: string;
  readonly limits: DesignLimits;
  readonly reference: DesignReference;
  readonly fullRun: ProcessLength;
  readonly emptyResume: ProcessLength;
}

/** Returns a function that gives the design of a trial; they alternate. Each is measured once, when it is first used. */
export function designRuns(context: TrialContext): (trial: number) => Promise<DesignTrialRun> {
  const measured = new Map<number, Promise<DesignTrialRun>>();
  return (trial) => {
    const number = trial % DESIGNS.length;
    const run = measured.get(number) ?? measureDesign(DESIGNS[number], context);
    measured.set(number, run);
    return run;
  };
}

/** Executes a design without interruption, then once more in the same folder, and measures both processes. */
async function measureDesign(
  design: (typeof DESIGNS)[number],
  { compiled, folder, timeoutSeconds }: TrialContext,
): Promise<DesignTrialRun> {
  const { name, alphabet, length, budget, iterations, flags = [] } = design;
  const place = join(folder, `problem-${name}`);
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  const mark = `crash-${process.pid}-${name}`;
  const problem = join(place, "problem.yaml");
  await writeFile(
    problem,
    [
      `alphabet: ${alphabet}`,
      `length: ${length}`,
      `oracle: { program: [node, ${JSON.stringify(SCORER)}, ${mark}], protocol: json, workers: ${WORKERS}, batch: ${BATCH} }`,
      "training: { hidden: [8], batch: 8 }",
      "",
    ].join("\n"),
  );
  const parameters = [
    ...["design", problem, "--allow-exec", "--quiet", "--budget", `${budget}`],
    ...["--iterations", `${iterations}`, "--candidates", `${CANDIDATES}`, "--radius", `${RADIUS}`],
    ...flags,
  ];
  const path = join(place, "reference");
  const countFile = join(place, "operations");
  const measure = async (): Promise<ProcessLength> => {
    const command = [...parameters, "--out", path];
    const result = await runCommandLine({ compiled, parameters: command, countFile, timeoutSeconds });
    const problem = processProblem(result, timeoutSeconds);
    if (problem) throw new Error(`crash: ${command.join(" ")}: ${problem}`);
    return { moment: result.milliseconds, operation: Number(await readFile(countFile, "utf8")) };
  };
  const fullRun = await measure();
  const reference = await designReference(path);
  const emptyResume = await measure();
  const limits = { budget, inFlight: WORKERS * BATCH, iterations, candidates: CANDIDATES, radius: RADIUS };
  return { parameters, mark, limits, reference, fullRun, emptyResume };
}

/** Executes a design that is killed and started again until it is finished. */
export async function runDesignTrial(
  mode: KillMode,
  number: number,
  run: DesignTrialRun,
  { compiled, folder, timeoutSeconds }: TrialContext,
): Promise<Trial> {
  const name = `design ${mode} ${number}`;
  const path = join(folder, name.replaceAll(" ", "-"));
  await rm(path, { recursive: true, force: true });
  const kills: Kill[] = [];
  const begun = { resumed: 0, startedAgain: 0 };
  let finding: Finding | undefined;
  let missing = 0;
  const trial = (problems: readonly string[] = []): Trial => ({
    ...{ name, kills, ...begun, missing },
    problems: problems.map((problem) => `after kill ${kills.length}: ${problem}`),
  });

  for (const position of [...killPositions(`design ${mode}`, number), undefined]) {
    const resumes = existsSync(join(path, DESIGN_FILES.design));
    if (finding) begun[resumes ? "resumed" : "startedAgain"]++;
    const result = await runCommandLine({
      compiled,
      parameters: [...run.parameters, "--out", path],
      kill:
        position === undefined
          ? undefined
          : killPoint(
              mode,
              position,
              { ...run, iterations: run.limits.iterations },
              finding?.iteration ?? null,
            ),
      timeoutSeconds,
    });
    finding = await inspectDesign(path, run.reference, run.limits, finding);
    const { stage, iteration } = finding;
    const killed = result.ended === "killed";
    if (killed) kills.push({ position: position as number, stage, iteration });
    const problems = [...finding.problems, ...(await leftoverProcesses(run.mark))];
    if (problems.length > 0) return trial(problems);
    if (killed) continue;
    const problem = processProblem(result, timeoutSeconds);
    if (problem) return trial([problem]);
    break;
  }
  const compared = await compareDesigns(path, run.reference, run.limits);
  missing = compared.missing;
  if (compared.problems.length === 0) await rm(path, { recursive: true, force: true });
  return trial(compared.problems);
}

/** A problem for each process of the oracle that does not end. They notice the end of their input, which takes a moment. */
async function leftoverProcesses(mark: string): Promise<string[]> {
  const until = performance.now() + 1000 * LEFTOVER_SECONDS;
  for (;;) {
    const { stdout } = await promisify(execFile)("ps", ["-eo", "pid,args"]);
    const left = stdout.split("\n").filter((line) => line.includes(mark));
    if (left.length === 0) return [];
    if (performance.now() > until)
      return left.map((line) => `a process of the oracle is left: ${line.trim()}`);
    await sleep(50);
  }
}
