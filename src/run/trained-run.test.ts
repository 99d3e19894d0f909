// Which keys of a config may change between a checkpoint and its use: a decision for every key.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CONFIG_KEYS, type Config, tasksWith } from "../config/config.ts";
import { completeConfig, parseConfig, taskOf, trainOptionsOf } from "../config/index.ts";
import { SETTING_RULES } from "../gfn/training/fixed-settings.ts";
import { fixedPlan } from "../gfn/training/plan.ts";
import { runFingerprint } from "./trained-run.ts";

/** Small configs of every task, in which the settings of all keys are in use. */
const TASKS: Readonly<Record<string, Config>> = {
  hypergrid: { task: "hypergrid", side: 3, engine: "native" },
  "bit-sequence": { task: "bit-sequence", bits: 4, word: 2, modes: 2, engine: "native" },
  pricing: { task: "pricing", months: 1, engine: "native" },
  regime: { task: "regime", engine: "native" },
  tfbind8: { task: "tfbind8", engine: "native" },
  table: { task: "table", scores: "examples/table/codons.csv", engine: "native" },
};
const BITS = TASKS["bit-sequence"];
const ENCODER: Config = { ...BITS, encoder: "outcomes", encoderWidth: 8, encoderHeads: 2 };
const MARGINAL: Config = { ...TASKS.regime, objective: "kl-thought", encoder: "both" };
const RATIO: Config = { ...BITS, entropyRatio: "behaviour" };
const REPLAY: Config = { ...BITS, replayShare: 0.1, dynamicsReplayCapacity: 10 };

const folder = mkdtempSync(join(tmpdir(), "gflownet-fixed-"));
const objects = join(folder, "objects.txt");
writeFileSync(objects, "0101\n");
/** The codons with another score. */
const other = join(folder, "codons.csv");
writeFileSync(other, readFileSync("examples/table/codons.csv", "utf8").replace("AAA,0.6", "AAA,0.7"));
afterAll(() => rmSync(folder, { recursive: true }));

type Verdict = "fixed" | "free";
/** For each key: whether it may change, another value, and a config in which it has an effect. */
const KEYS: Readonly<Record<string, readonly [Verdict, unknown, Config?]>> = {
  task: ["fixed", "regime", { engine: "native" }],
  stick: ["fixed", 0.5],
  table: ["fixed", "simplified", TASKS.tfbind8],
  dimensions: ["fixed", 3, TASKS.hypergrid],
  side: ["fixed", 4, TASKS.hypergrid],
  reward: ["fixed", "x1", TASKS.hypergrid],
  picture: ["fixed", "examples/hypergrid/ring.png", TASKS.hypergrid],
  r0: ["fixed", 0.5, TASKS.hypergrid],
  r1: ["fixed", 0.75, TASKS.hypergrid],
  r2: ["fixed", 3, TASKS.hypergrid],
  bits: ["fixed", 6],
  word: ["fixed", 1],
  modes: ["fixed", 3],
  modeSeed: ["fixed", 1],
  sharpness: ["fixed", 4],
  quietStick: ["fixed", 0.1, TASKS.regime],
  noisyStick: ["fixed", 0.8, TASKS.regime],
  quietShare: ["fixed", 0.5, TASKS.regime],
  months: ["fixed", 2, TASKS.pricing],
  claimCost: ["fixed", 160, TASKS.pricing],
  // Changes the answers of the customer, which neither the scores nor the sizes of the environment show.
  priceSensitivity: ["fixed", 0.06, TASKS.pricing],
  profitScale: ["fixed", 50, TASKS.pricing],
  scores: ["fixed", other, TASKS.table],
  alphabet: ["fixed", "UGCA", TASKS.table],
  length: ["fixed", 4, { ...TASKS.table, variable: true }],
  variable: ["fixed", true, TASKS.table],
  missing: ["fixed", 0.5, TASKS.table],

  objective: ["fixed", "db"],
  balance: ["fixed", "tb"],
  dynamics: ["fixed", "joint"],
  loss: ["fixed", "squared"],
  lambda: ["fixed", 0.5, { ...BITS, objective: "ssubtb" }],
  learnLogZ: ["fixed", true, { ...BITS, objective: "stb" }],
  logZInitial: ["fixed", 2, { ...BITS, objective: "stb", learnLogZ: true }],
  logZRateScale: ["free", 5, { ...BITS, objective: "stb", learnLogZ: true }],

  rewardExponent: ["fixed", 2],
  rewardFloor: ["fixed", 0.01],
  rewardRamp: ["fixed", 10],

  hidden: ["fixed", [9]],
  activation: ["fixed", "tanh"],
  stateTableRows: ["fixed", 3],
  stateTableRateScale: ["free", 2],
  outputInit: ["free", "zeros"],
  state: ["fixed", "embedded"],
  embeddingWidth: ["fixed", 4, { ...BITS, state: "embedded" }],
  dynamicsHidden: ["fixed", [3]],
  dynamicsStateTableRows: ["fixed", 3],
  dynamicsStateTableRateScale: ["free", 2, { ...BITS, dynamicsStateTableRows: 5 }],
  objectMarginalHidden: ["fixed", [7], MARGINAL],

  network: ["fixed", "recurrent"],
  encoder: ["fixed", "outcomes"],
  dynamicsEncoder: ["fixed", "outcomes"],
  encoderLayers: ["fixed", 1, ENCODER],
  encoderWidth: ["fixed", 16, ENCODER],
  encoderHeads: ["fixed", 4, ENCODER], // the shapes stay the same
  encoderFeedForward: ["fixed", 8, ENCODER],

  batch: ["free", 16],
  learningRate: ["free", 0.01],
  dynamicsLearningRate: ["free", 0.01],
  clip: ["free", 1],
  dynamicsClip: ["free", 1],
  epsilon: ["free", 0.1],
  temperature: ["free", 2],
  uniformShare: ["free", 0.25],
  offlineShare: ["free", 0.25, { ...BITS, offlineFile: objects, offlineShare: 0.1 }],

  entropyRatio: ["fixed", "behaviour"],
  entropyEstimator: ["fixed", "clamp", RATIO],
  entropyGamma: ["fixed", 0.25, RATIO],
  entropyQuantile: ["fixed", 0.1, RATIO],
  entropyRegulariser: ["fixed", 0.1],

  replayShare: ["free", 0.2, REPLAY],
  replayCapacity: ["fixed", 20, REPLAY],
  replayPriority: ["free", 1, REPLAY],
  dynamicsReplayCapacity: ["fixed", 20, REPLAY],
  dynamicsReplayBatch: ["free", 16, REPLAY],
  dynamicsReplayRounds: ["free", 2, REPLAY],

  offlineFile: ["free", objects],
  iterations: ["free", 6000],
  seconds: ["free", 60],
  plan: ["free", [fixedPlan(10, 5)]],
  evaluateEvery: ["free", 10],
  checkpointEvery: ["free", 10],
  logEvery: ["free", 3],
  residuals: ["free", true],
  samples: ["free", 20],
  seed: ["fixed", 1],
  engine: ["free", "jax"],
  threads: ["free", 2],
};

async function fingerprintOf(config: Config): Promise<Record<string, string>> {
  const complete = await completeConfig(await parseConfig(config));
  const task = await taskOf(complete);
  return runFingerprint({ task, options: await trainOptionsOf(complete, task) });
}

test("every key of a config has a decision, and settings the same one as in the library", () => {
  expect(Object.keys(KEYS).sort()).toEqual(Object.keys(CONFIG_KEYS).sort());
  for (const [name, rule] of Object.entries(SETTING_RULES)) {
    expect([name, KEYS[name][0]]).toEqual([name, rule === "free" ? "free" : "fixed"]);
  }
  for (const [name, [verdict]] of Object.entries(KEYS)) if (tasksWith(name)) expect(verdict).toBe("fixed");
});

test.each(Object.entries(KEYS))(
  "a checkpoint and another %s: %j",
  async (name, [verdict, value, base = BITS]) => {
    const before = await fingerprintOf(base);
    const after = await fingerprintOf({ ...base, [name]: value } as Config);
    if (verdict === "free") expect(after).toEqual(before);
    else expect(after).not.toEqual(before);
  },
);
