import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { optionsByNetwork } from "../gfn/policy/model-settings.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import { activations } from "../nn/activations.ts";
import { problemOf, readText } from "../settings/kinds.ts";
import { bitSequenceTask } from "../tasks/bit-sequence/index.ts";
import { hypergridTask } from "../tasks/hypergrid/index.ts";
import { pricingTask } from "../tasks/pricing/index.ts";
import { regimeTask } from "../tasks/regime/index.ts";
import { TASKS } from "../tasks/registry.ts";
import { tfbind8Task } from "../tasks/tfbind8/index.ts";
import { completeConfig, configText } from "./complete.ts";
import { CONFIG_KEYS, type Config } from "./config.ts";
import { withDefaults } from "./fill-defaults.ts";
import { parseConfig, parseConfigText } from "./parse.ts";
import { settingsOf, taskOf } from "./train-options.ts";

/** A table of the 61 codons of amino acids. */
const CODONS = resolve("examples/table/codons.csv");

/** For every key a value that is not its default, and the other keys that it needs. */
const EXAMPLES: Readonly<Record<string, readonly [unknown, Config?]>> = {
  task: ["hypergrid"],
  stick: [0.5],
  table: ["simplified"],
  dimensions: [3, { task: "hypergrid" }],
  side: [6, { task: "hypergrid" }],
  reward: ["x1 + i2", { task: "hypergrid" }],
  picture: [resolve("examples/hypergrid/ring.png"), { task: "hypergrid" }],
  r0: [0.1, { task: "hypergrid" }],
  r1: [0.25, { task: "hypergrid" }],
  r2: [1.5, { task: "hypergrid" }],
  bits: [8, { task: "bit-sequence" }],
  word: [2, { task: "bit-sequence" }],
  modes: [3, { task: "bit-sequence" }],
  modeSeed: [7, { task: "bit-sequence" }],
  sharpness: [2.5, { task: "bit-sequence" }],
  quietStick: [0.1, { task: "regime" }],
  noisyStick: [0.5, { task: "regime" }],
  quietShare: [0.6, { task: "regime" }],
  months: [3, { task: "pricing" }],
  claimCost: [400, { task: "pricing" }],
  priceSensitivity: [0.1, { task: "pricing" }],
  profitScale: [25, { task: "pricing" }],
  scores: [CODONS, { task: "table" }],
  alphabet: ["UGCA", { task: "table", scores: CODONS }],
  length: [4, { task: "table", scores: CODONS, variable: true }],
  variable: [true, { task: "table", scores: CODONS }],
  missing: [0.5, { task: "table", scores: CODONS }],
  objective: ["stb"],
  balance: ["subtb"],
  dynamics: ["none-intended"],
  loss: ["huber"],
  lambda: [0.5],
  learnLogZ: [true, { objective: "tb" }],
  logZInitial: [-2.5],
  logZRateScale: [100],
  rewardExponent: [2.5],
  rewardFloor: [0.01],
  rewardRamp: [1000],
  hidden: [[64, 32, 16]],
  activation: ["logSigmoid"],
  stateTableRows: [4096],
  stateTableRateScale: [3],
  state: ["embedded"],
  embeddingWidth: [8],
  outputInit: ["zeros"],
  dynamicsHidden: [[]],
  dynamicsStateTableRows: [100],
  dynamicsStateTableRateScale: [2],
  objectMarginalHidden: [[5]],
  network: ["transformer"],
  encoder: ["both"],
  dynamicsEncoder: ["outcomes"],
  encoderLayers: [1],
  encoderWidth: [16],
  encoderHeads: [2],
  encoderFeedForward: [32],
  batch: [7],
  learningRate: [{ from: 1e-2, to: 1e-5, shape: "exponential", until: 0.9 }],
  dynamicsLearningRate: [1e-3],
  clip: [10],
  dynamicsClip: [0.5],
  epsilon: [{ from: 0.5, to: 0 }],
  temperature: [{ from: 2, to: 1, shape: "cosine" }],
  uniformShare: [0.25],
  offlineShare: [{ from: 0.1, to: 0.2, shape: "linear", until: 0.5 }, { offlineFile: "package.json" }],
  offlineFile: ["tsconfig.json"],
  entropyRatio: ["behaviour"],
  entropyEstimator: ["state"],
  entropyGamma: [{ from: 0.25, to: 1 }],
  entropyQuantile: [0.1],
  entropyRegulariser: [{ from: 0.1, to: 0 }],
  replayShare: [0.3],
  replayCapacity: [99],
  replayPriority: [1],
  dynamicsReplayCapacity: [1000],
  dynamicsReplayBatch: [16],
  dynamicsReplayRounds: [4],
  iterations: [2 ** 40],
  seconds: [60],
  plan: [
    [
      { iteration: 1, iterations: 90, anchor: 0, progress: 0, evaluateEvery: 500 },
      { iteration: 40, iterations: 70, anchor: 40, progress: 4 / 9, evaluateEvery: null },
    ],
  ],
  evaluateEvery: [0],
  checkpointEvery: [0],
  logEvery: [1],
  residuals: [true],
  samples: [5],
  seed: [2 ** 53 - 1],
  engine: ["jax"],
  threads: [2],
};

test("every key has an example", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(Object.keys(CONFIG_KEYS).sort());
});

describe.each(Object.keys(CONFIG_KEYS))("%s", (name) => {
  const [value, others = {}] = EXAMPLES[name];
  const config = { ...others, [name]: value } as Config;
  const { kind, help, default: byDefault } = CONFIG_KEYS[name];

  test("has help, and a valid default", () => {
    expect(help).toMatch(/^[^\n]{5,160}[^.\n]$/);
    if ("value" in byDefault) expect(problemOf(kind, byDefault.value)).toBeNull();
    else expect(byDefault.depends).not.toBe("");
  });

  test("survives a config file and a flag", async () => {
    expect(problemOf(kind, value)).toBeNull();
    expect(readText(kind, kind.toText(value))).toEqual({ value });
    expect(await parseConfigText(JSON.stringify(config), "test")).toEqual(config);
    const complete = await completeConfig(await parseConfig(config));
    const again = await parseConfigText(configText(complete), "test");
    expect(again).toEqual(complete);
    expect(await completeConfig(again)).toEqual(complete);
    if (name !== "offlineFile" && name !== "objective") expect(complete[name]).toEqual(value);
  });

  test("makes a difference", async () => {
    if (name === "scores") {
      await expect(withDefaults(others)).rejects.toThrow("scores: must be given for the task table");
      return;
    }
    const { engine: _, ...complete } = await withDefaults(config);
    const { engine: __, ...before } = await withDefaults(others);
    if (name !== "engine") expect(complete).not.toEqual(before);
  });
});

describe("the table agrees with the library about", () => {
  test("the names of activations", () => {
    expect(CONFIG_KEYS.activation.kind.rule).toBe(`one of ${Object.keys(activations).join(", ")}`);
  });

  test.each(TASKS.filter(({ needs }) => !needs).map(({ name }) => name))(
    "the defaults of %s",
    async (name) => {
      const task = await taskOf({ task: name });
      const stick = 0.25;
      const created = {
        tfbind8: () => tfbind8Task({ stick }),
        hypergrid: () => hypergridTask({ stick }),
        "bit-sequence": () => bitSequenceTask({ stick }),
        regime: () => regimeTask(),
        pricing: () => pricingTask({ stick }),
      }[name]!();
      expect(task.label).toBe(created.label);
      expect(task.scores).toEqual(created.scores);
      const settings = defaultSettings(created.environment);
      const rewardExponent = name === "tfbind8" ? 3 : 1;
      expect(settingsOf(await completeConfig({ task: name }))).toEqual({ ...settings, rewardExponent });
    },
  );
});

test.each<[Config]>([
  [{ objective: "soft-q" }],
  [{ objective: "eflow" }],
  [{ dynamics: "expected" }],
  [{ encoder: "thought" }],
  [{ dynamicsEncoder: "both" }],
  [{ task: "regime" }],
])("%o explores with uniform actions, and is a valid config", async (config) => {
  const explore = { from: 0.5, to: 0, until: 0.6 };
  expect(await withDefaults(config)).toMatchObject({ epsilon: explore, uniformShare: 0 });
  expect(await withDefaults({})).toMatchObject({ epsilon: 0, uniformShare: explore });
  expect(await withDefaults({ encoder: "outcomes" })).toMatchObject({ epsilon: 0, uniformShare: explore });
  expect(await parseConfig(config)).toEqual(config);
});

test("kl-thought trains on-policy, with smaller steps and a learned log Z", async () => {
  const config: Config = { objective: "kl-thought", encoder: "both" };
  const onPolicy = { epsilon: 0, uniformShare: 0, clip: 0.5, learnLogZ: true };
  expect(await withDefaults(config)).toMatchObject({ ...onPolicy, learningRate: { from: 1e-3, to: 1e-5 } });
  const plain = { clip: 0, learnLogZ: false, learningRate: { from: 3e-3, to: 3e-5 } };
  expect(await withDefaults({})).toMatchObject(plain);
  expect(await parseConfig(config)).toEqual(config);
});

describe("history encoders", () => {
  const shape = { layers: 2, width: 64, heads: 4 };
  const options = async (config: Config) => optionsByNetwork(settingsOf(await completeConfig(config)));

  test("belong to the networks that have one, and leave the state table alone", async () => {
    const plain = await options({});
    const { policy, dynamics, objectMarginal } = await options({ encoder: "both", encoderFeedForward: 99 });
    expect(policy).toEqual({
      ...plain.policy,
      encoder: { historyInputs: "both", ...shape, feedForward: 99 },
    });
    expect(policy.stateTableRows).toBe(21845);
    expect(dynamics).toEqual(plain.dynamics);
    expect(objectMarginal).toBeUndefined();
    const conditioned = await options({ dynamicsEncoder: "outcomes", encoderLayers: 1 });
    expect(conditioned.policy).toEqual(plain.policy);
    expect(conditioned.dynamics.encoder).toEqual({ historyInputs: "outcomes", ...shape, layers: 1 });
  });

  test("of dynamics thought are those of the dynamics model too", async () => {
    const thought = await options({ objective: "kl-thought", encoder: "thought", hidden: [8] });
    expect(thought.dynamics.encoder).toEqual(thought.policy.encoder);
    expect(thought.objectMarginal).toEqual({ hidden: [8], activation: "relu" });
    const blind = await options({ objective: "kl-thought", encoder: "thought", dynamicsEncoder: "none" });
    expect(blind.dynamics.encoder).toBeUndefined();
  });

  test("of a dynamics model that is not learned are left out", async () => {
    const config: Config = { objective: "db", dynamicsEncoder: "thought" };
    expect((await options(config)).dynamics.encoder).toBeUndefined();
    expect((await withDefaults(config)).uniformShare).not.toBe(0);
  });

  test("may be the only input of a policy; a dynamics model without one receives the state", async () => {
    const { policy, dynamics } = await options({ encoder: "outcomes", state: "none" });
    expect([policy.state, dynamics.state]).toEqual(["none", "one-hot"]);
    const both = await options({ encoder: "outcomes", dynamicsEncoder: "outcomes", state: "none" });
    expect(both.dynamics.state).toBe("none");
  });
});
