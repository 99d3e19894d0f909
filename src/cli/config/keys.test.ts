import { describe, expect, test } from "vitest";
import { defaultSettings } from "../../gfn/defaults.ts";
import { ENCODER_READS } from "../../gfn/history-encoder.ts";
import { STATE_INPUTS } from "../../gfn/networks.ts";
import { activations } from "../../nn/activations.ts";
import { bitSequenceTask } from "../../tasks/bit-sequence/index.ts";
import { hypergridTask } from "../../tasks/hypergrid/index.ts";
import { pricingTask } from "../../tasks/pricing/index.ts";
import { regimeTask } from "../../tasks/regime/index.ts";
import { tfbind8Task } from "../../tasks/tfbind8/index.ts";
import { TypedCommand } from "../typed.ts";
import { completeConfig, configText } from "./complete.ts";
import { staticDefaults, withDefaults } from "./defaults.ts";
import { addConfigFlags, configOfFlags, flagsOf, inFlags } from "./flags.ts";
import { type Config, KEY_NAMES, KEYS, type KeyName, keyOf, TASKS } from "./keys.ts";
import { settingsOf } from "./options.ts";
import { parseConfig, parseConfigText } from "./parse.ts";
import { taskOf } from "./task.ts";
import { parseTyped } from "./typed-config.ts";

/** A value of every key that is not its default, and what else must be said for it. */
const EXAMPLES: { readonly [K in KeyName]: readonly [NonNullable<Config[K]>, Config?] } = {
  task: ["hypergrid"],
  stick: [0.5],
  table: ["simplified"],
  dimensions: [3, { task: "hypergrid" }],
  side: [6, { task: "hypergrid" }],
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
  objective: ["stb"],
  balance: ["subtb"],
  dynamics: ["none-intended"],
  loss: ["huber"],
  lambda: [0.5],
  ownLogZ: [true, { objective: "tb" }],
  logZInitial: [-2.5],
  logZRateScale: [100],
  rewardExponent: [2.5],
  rewardFloor: [0.01],
  rewardRamp: [1000],
  hidden: [[64, 32, 16]],
  activation: ["logSigmoid"],
  memoryRows: [4096],
  memoryRateScale: [3],
  state: ["embedded"],
  embeddingWidth: [8],
  dynamicsHidden: [[]],
  dynamicsMemoryRows: [100],
  encoder: ["both"],
  dynamicsEncoder: ["realised"],
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
  offlineShare: [{ from: 0.1, to: 0.2, shape: "linear", until: 0.5 }, { known: "package.json" }],
  known: ["tsconfig.json"],
  entropyRatio: ["behaviour"],
  entropyEstimator: ["state"],
  entropyGamma: [{ from: 0.25, to: 1 }],
  entropyQuantile: [0.1],
  entropyRegulariser: [{ from: 0.1, to: 0 }],
  replayShare: [0.3],
  replayCapacity: [99],
  replayPriority: [1],
  dynamicsReplayCapacity: [1000],
  dynamicsReplayEpisodes: [16],
  dynamicsReplayRounds: [4],
  iterations: [2 ** 40],
  evaluateEvery: [0],
  checkpointEvery: [0],
  logEvery: [1],
  samples: [5],
  seed: [2 ** 53 - 1],
  engine: ["jax"],
  threads: [2],
};

function parsedByCommander(args: readonly string[]): Config {
  const command = new TypedCommand("train");
  command.exitOverride().configureOutput({ writeErr: () => {} });
  addConfigFlags(command);
  const flags = configOfFlags(command.parse(args, { from: "user" }).opts());
  return parseTyped({ flags, wrong: command.wrong });
}

describe.each(KEY_NAMES)("%s", (name) => {
  const [value, others = {}] = EXAMPLES[name];
  const config = { ...others, [name]: value };
  const { kind, help, default: byDefault } = keyOf(name);
  const flag = flagsOf().find(({ key }) => key === name);

  test("has help, and a default that is valid", () => {
    expect(help).toMatch(/^[^\n]{5,100}[^.\n]$/);
    if ("value" in byDefault) expect(kind.problem(byDefault.value)).toBeNull();
    else expect(byDefault.depends).not.toBe("");
    expect(flag?.help).toContain(inFlags(help));
  });

  test("survives a config file", async () => {
    expect(kind.problem(value)).toBeNull();
    expect(parseConfigText(JSON.stringify(config), "test")).toEqual(config);
    const complete = await completeConfig(parseConfig(config, "test"));
    const again = parseConfigText(configText(complete), "test");
    expect(again).toEqual(complete);
    expect(await completeConfig(again)).toEqual(complete);
    if (name !== "known") expect(complete[name]).toEqual(value);
  });

  test("survives a flag, with and without commander", () => {
    const text = kind.toText(value);
    expect(flag?.read(text)).toEqual({ value });
    const typed = Object.entries(config).flatMap(([key, each]) => {
      const { name: flagName } = flagsOf().find((other) => other.key === key)!;
      const { kind: otherKind } = keyOf(key as KeyName);
      return typeof each === "boolean" ? [flagName] : [flagName, otherKind.toText(each)];
    });
    expect(parsedByCommander(typed)).toEqual(config);
  });

  test("makes a difference", () => {
    const { engine: _, ...complete } = { engine: "native", ...withDefaults(config) };
    const { engine: __, ...before } = { engine: "native", ...withDefaults(others) };
    if (name !== "engine") expect(complete).not.toEqual(before);
  });
});

describe("the table agrees with the library about", () => {
  test("names", () => {
    expect(KEYS.activation.kind.rule).toBe(`one of ${Object.keys(activations).join(", ")}`);
    expect(KEYS.state.kind.rule).toBe(`one of ${STATE_INPUTS.join(", ")}`);
    expect(KEYS.encoder.kind.rule).toBe(`one of none, ${ENCODER_READS.join(", ")}`);
  });

  test.each(TASKS)("defaults of %s", async (name) => {
    const task = await taskOf({ task: name });
    const stick = 0.25;
    const made = {
      tfbind8: () => tfbind8Task({ stick }),
      hypergrid: () => hypergridTask({ stick }),
      "bit-sequence": () => bitSequenceTask({ stick }),
      regime: () => regimeTask(),
      pricing: () => pricingTask({ stick }),
    }[name]();
    expect(task.label).toBe(made.label);
    expect(task.scores).toEqual(made.scores);
    const settings = defaultSettings(made.environment);
    const reward = name === "tfbind8" ? { ...settings.reward, exponent: 3 } : settings.reward;
    expect(settingsOf(await completeConfig({ task: name }))).toMatchObject({ ...settings, reward });
    // What help shows is what happens.
    expect(withDefaults({ task: name })).toMatchObject(staticDefaults(name));
  });
});

test.each<[Config]>([
  [{ objective: "soft-q" }],
  [{ objective: "eflow" }],
  [{ dynamics: "expected" }],
  [{ encoder: "thought" }],
  [{ dynamicsEncoder: "both" }],
  [{ task: "regime" }],
])("%o explores by intentions, and a config of it is valid", (config) => {
  const explore = { from: 0.5, to: 0, until: 0.6 };
  expect(withDefaults(config)).toMatchObject({ epsilon: explore, uniformShare: 0 });
  expect(withDefaults({})).toMatchObject({ epsilon: 0, uniformShare: explore });
  expect(withDefaults({ encoder: "realised" })).toMatchObject({ epsilon: 0, uniformShare: explore });
  expect(parseConfig(config, "test")).toEqual(config);
});

test("a balance of histories has the policy's own episodes alone, slow steps and a log Z of its own", async () => {
  const config: Config = { objective: "kl-thought", encoder: "both" };
  const own = { epsilon: 0, uniformShare: 0, clip: 0.5, ownLogZ: true };
  expect(withDefaults(config)).toMatchObject({ ...own, learningRate: { from: 1e-3, to: 1e-5 } });
  expect(withDefaults({})).toMatchObject({ clip: 0, ownLogZ: false, learningRate: { from: 3e-3, to: 3e-5 } });
  expect(parseConfig(config, "test")).toEqual(config);
});

describe("encoders", () => {
  const shape = { layers: 2, width: 64, heads: 4 };
  const settings = async (config: Config) => settingsOf(await completeConfig(config));

  test("stand in the settings of the networks that have one, and change nothing of their memory", async () => {
    const plain = await settings({});
    const { policy, dynamics, objectLaw } = await settings({ encoder: "both", encoderFeedForward: 99 });
    expect(policy).toEqual({ ...plain.policy, encoder: { reads: "both", ...shape, feedForward: 99 } });
    expect(policy.memoryRows).toBe(21845);
    expect(dynamics).toEqual(plain.dynamics);
    expect(objectLaw).toBeUndefined();
    const read = await settings({ dynamicsEncoder: "realised", encoderLayers: 1 });
    expect(read.policy).toEqual(plain.policy);
    expect(read.dynamics.encoder).toEqual({ reads: "realised", ...shape, layers: 1 });
  });

  test("of the dynamics thought are for the dynamics too", async () => {
    const thought = await settings({ objective: "kl-thought", encoder: "thought", hidden: [8] });
    expect(thought.dynamics.encoder).toEqual(thought.policy.encoder);
    expect(thought.objectLaw).toEqual({ hidden: [8], activation: "relu" });
    const blind = await settings({ objective: "kl-thought", encoder: "thought", dynamicsEncoder: "none" });
    expect(blind.dynamics.encoder).toBeUndefined();
  });

  test("of dynamics that are not learned are left out", async () => {
    const config: Config = { objective: "db", dynamicsEncoder: "thought" };
    expect((await settings(config)).dynamics.encoder).toBeUndefined();
    expect(withDefaults(config).uniformShare).not.toBe(0);
  });

  test("may be all that a policy sees, while a model without one sees the state", async () => {
    const { policy, dynamics } = await settings({ encoder: "realised", state: "none" });
    expect([policy.state, dynamics.state]).toEqual(["none", "one-hot"]);
    const both = await settings({ encoder: "realised", dynamicsEncoder: "realised", state: "none" });
    expect(both.dynamics.state).toBe("none");
  });
});

describe("flags", () => {
  test("that switch can be switched off again", () => {
    expect(parsedByCommander(["--no-own-log-z"])).toEqual({ ownLogZ: false });
    expect(parsedByCommander([])).toEqual({});
  });

  test.each([
    ["--stick", "1", '--stick: must be a number in [0, 1), got "1"'],
    ["--stick", "", '--stick: must be a number in [0, 1), got ""'],
    ["--stick", "0x1", '--stick: must be a number in [0, 1), got "0x1"'],
    ["--batch", "1.5", '--batch: must be a whole number from 1 to 2^31 - 1, got "1.5"'],
    ["--batch", "Infinity", '--batch: must be a whole number from 1 to 2^31 - 1, got "Infinity"'],
    [
      "--learning-rate",
      "1e300",
      '--learning-rate: must be a number of at least 0, or a course from one such number to another, got "1e300"',
    ],
    ["--epsilon", "0:2", '--epsilon: must be a course whose to is a number in [0, 1], got "0:2"'],
    [
      "--epsilon",
      "0:1:square",
      '--epsilon: must be a course of shape linear, cosine, exponential, got "0:1:square"',
    ],
    ["--epsilon", "0:1:linear:0", '--epsilon: must be a course whose until is in (0, 1], got "0:1:linear:0"'],
    [
      "--epsilon",
      "0:1:linear:1:1",
      '--epsilon: must be a number in [0, 1], or a course from one such number to another, got "0:1:linear:1:1"',
    ],
    [
      "--epsilon",
      "0:1:exponential",
      '--epsilon: must be a course between positive numbers if it is exponential, got "0:1:exponential"',
    ],
    ["--hidden", "64,,64", '--hidden: must be at most 32 whole numbers from 1 on, got "64,,64"'],
    ["--hidden", "64,0", '--hidden: must be a list of at most 32 whole numbers from 1 on, got "64,0"'],
    [
      "--objective",
      "klm",
      '--objective: must be one of db, tb, subtb, sdb, sdb-marginal, stb, ssubtb, kl, kl-thought, kl-literal, soft-q, eflow, got "klm"',
    ],
    ["--known", " ", '--known: must be the path of a file, got " "'],
  ])("%s %j is refused with flag, value and rule", (name, text, message) => {
    expect(() => parsedByCommander([name, text])).toThrow(message);
  });

  test("are all refused at once, and the last one counts of two that are the same", () => {
    const typed = ["--stick", "2", "--batch", "none", "--stick", "0.5", "--bits", "7", "--hidden", "x"];
    expect(() => parsedByCommander(["--task", "bit-sequence", ...typed])).toThrow(
      [
        "the command line has 3 problems:",
        '  --batch: must be a whole number from 1 to 2^31 - 1, got "none"',
        '  --hidden: must be at most 32 whole numbers from 1 on, got "x"',
        "  --bits: must be divisible by word, got 7 bits in words of 4",
      ].join("\n"),
    );
  });

  test("are called as they are typed in help", () => {
    expect(flagsOf().find(({ key }) => key === "replayCapacity")?.help).toContain("kept for --replay-share");
    for (const { help } of flagsOf())
      for (const key of KEY_NAMES) {
        if (/[A-Z]/.test(key)) expect(help).not.toContain(key);
      }
  });

  test("take negative numbers", () => {
    expect(parsedByCommander(["--log-z-initial", "-3"])).toEqual({ logZInitial: -3 });
  });
});
