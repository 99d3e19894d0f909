// `gflownet train`: runs the benchmark iteration for a while and says how fast and how well.

import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { chooseEngine, compile, type EngineName, nativeProblem, RandomStream } from "../engine/index.ts";
import { toOnnx } from "../engine/onnx/index.ts";
import { benchmarkIteration, DEFAULT_ITERATION, ITERATION_STATE } from "../gfn/benchmark-iteration.ts";
import { writeFileAtomically } from "../run/atomic-file.ts";
import { LENGTH, LETTERS, simplifiedTable } from "../tasks/tfbind8/simplified.ts";
import { UsageError } from "./fail.ts";

export interface TrainOptions {
  readonly seconds: number;
  readonly hidden: number;
  readonly batch: number;
  readonly stick: number;
  readonly learningRate: number;
  readonly seed: number;
  readonly engine?: EngineName;
  readonly threads: number;
  readonly save?: string;
  readonly json?: boolean;
}

/** R = (score + FLOOR)³: no string has reward zero. */
const REWARD_EXPONENT = 3;
const FLOOR = 0.05;
const REPORT_EVERY_MS = 2000;

export async function train(options: TrainOptions): Promise<void> {
  const { hidden, batch, stick, learningRate, seed, threads, save } = options;
  if (stick < 0 || stick >= 1) throw new UsageError(`--stick must be in [0, 1), got ${stick}`);
  if (save !== undefined) await checkTarget(save);
  const engine = await pickEngine(options);
  const print = options.json
    ? (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`)
    : (event: Event) => process.stdout.write(`${toText(event)}\n`);

  const logReward = simplifiedTable().map((score) => REWARD_EXPONENT * Math.log(score + FLOOR));
  const sizes = {
    ...DEFAULT_ITERATION,
    letters: LETTERS.length,
    length: LENGTH,
    batch,
    hidden,
    stick,
    learningRate,
  };
  const { iteration, example, init, policyFunction } = benchmarkIteration(sizes, logReward);
  const program = await compile(iteration, example, {
    name: "train",
    engine,
    threads,
    state: ITERATION_STATE,
    finite: ["loss", "dynamicsLoss"],
  });
  const root = RandomStream.fromSeed(seed);
  program.write(init(root.split("init")));
  print({
    kind: "start",
    engine,
    threads,
    hidden,
    batch,
    stick,
    seed,
    compileSeconds: program.compileSeconds,
  });

  const draws = root.split("rollout");
  const uniform = new Float32Array(LENGTH * batch * (LETTERS.length + 2));
  const started = performance.now();
  const end = started + options.seconds * 1000;
  const floor = noiseEntropy(stick, LETTERS.length);
  let reported = started;
  let iterations = 0;
  let lossSum = 0;
  let dynamicsSum = 0;
  let since = 0;
  let now = started;
  while (now < end) {
    const { loss, dynamicsLoss } = await program.run({ uniform: draws.fillUniform(uniform) });
    lossSum += loss[0];
    dynamicsSum += dynamicsLoss[0];
    iterations++;
    since++;
    now = performance.now();
    if (now - reported >= REPORT_EVERY_MS || now >= end) {
      print({
        kind: now >= end ? "end" : "progress",
        iterations,
        seconds: (now - started) / 1000,
        rate: (iterations / (now - started)) * 1000,
        loss: lossSum / since,
        dynamicsLoss: dynamicsSum / since,
        dynamicsFloor: floor,
      });
      reported = now;
      lossSum = dynamicsSum = since = 0;
    }
  }
  if (save !== undefined) {
    const policy = policyFunction((await program.read("policy")) as Float32Array);
    await writeFileAtomically(save, exportPolicy(policy));
    print({ kind: "saved", file: save });
  }
  await program.dispose();
}

/** A file can be written there: known before training, not after. */
async function checkTarget(file: string): Promise<void> {
  if (file === "") throw new UsageError("--save needs the name of a file");
  await access(dirname(file), constants.W_OK);
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory()) throw new UsageError(`--save: ${file} is a folder; give the name of a file`);
  if (there) throw new UsageError(`--save: ${file} exists; remove it or choose another name`);
}

/** The engine asked for, or the best there is, with a sentence if that is not the native one. */
async function pickEngine({ engine }: TrainOptions): Promise<EngineName> {
  const chosen = await chooseEngine(engine);
  if (engine === undefined && chosen === "jax") {
    process.stderr.write(`gflownet: ${await nativeProblem()} Training goes on with the slower jax engine.\n`);
  }
  return chosen;
}

function exportPolicy({
  f,
  example,
}: ReturnType<ReturnType<typeof benchmarkIteration>["policyFunction"]>): Uint8Array {
  return toOnnx(f, example, {
    name: "policy",
    description: `Forward policy of a GFlowNet that writes strings of ${LENGTH} letters out of ${LETTERS}.`,
    ports: {
      state: `Prefixes, one row each: for every position ${LETTERS.length} numbers, 1 at the letter there, all 0 if none yet.`,
      logPolicy: `Log-probability of each next letter, in the order ${LETTERS}.`,
      logFlow: "Log of the flow through the prefix.",
    },
    metadata: { alphabet: LETTERS, length: String(LENGTH) },
  });
}

/** Entropy of what the environment does given an intention: no dynamics model can have a lower cross-entropy. */
function noiseEntropy(stick: number, letters: number): number {
  const other = stick / letters;
  const own = 1 - stick + other;
  const term = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
  return term(own) + (letters - 1) * term(other);
}

type Event =
  | {
      readonly kind: "start";
      readonly engine: string;
      readonly threads: number;
      readonly hidden: number;
      readonly batch: number;
      readonly stick: number;
      readonly seed: number;
      readonly compileSeconds: number;
    }
  | {
      readonly kind: "progress" | "end";
      readonly iterations: number;
      readonly seconds: number;
      readonly rate: number;
      readonly loss: number;
      readonly dynamicsLoss: number;
      readonly dynamicsFloor: number;
    }
  | { readonly kind: "saved"; readonly file: string };

function toText(event: Event): string {
  switch (event.kind) {
    case "start": {
      const { engine, threads, hidden, batch, stick, compileSeconds } = event;
      return (
        `Training on ${engine} (${threads} thread${threads > 1 ? "s" : ""}): hidden ${hidden}, batch ${batch}, ` +
        `stick ${stick}; a hand-made score, not TFBind8. Compiled in ${compileSeconds.toFixed(2)} s.`
      );
    }
    case "progress":
    case "end": {
      const { iterations, seconds, rate, loss, dynamicsLoss, dynamicsFloor } = event;
      const line =
        `${seconds.toFixed(0).padStart(5)} s  ${String(iterations).padStart(7)} iterations  ` +
        `${rate.toFixed(0).padStart(5)}/s  loss ${loss.toFixed(4)}  ` +
        `dynamics ${dynamicsLoss.toFixed(4)} (floor ${dynamicsFloor.toFixed(4)})`;
      return event.kind === "end" ? `${line}\nDone.` : line;
    }
    case "saved":
      return `Saved the policy to ${event.file}; see it with: gflownet inspect ${event.file}`;
    default:
      return event satisfies never;
  }
}
