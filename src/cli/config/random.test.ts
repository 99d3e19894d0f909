// Random configs: each gives options that training takes, or a ConfigError, and nothing else.

import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { trainingIteration } from "../../gfn/iteration.ts";
import { model } from "../../gfn/model.ts";
import { rewardTable } from "../../gfn/reward.ts";
import { checkSettings } from "../../gfn/settings.ts";
import { completeConfig, configText } from "./complete.ts";
import { withDefaults } from "./defaults.ts";
import { ConfigError } from "./error.ts";
import { KEY_NAMES, type KeyName } from "./keys.ts";
import { trainOptionsOf } from "./options.ts";
import { parseConfig, parseConfigText } from "./parse.ts";
import { taskOf } from "./task.ts";

const COUNT = 400;

/** Values that are wrong, or at the edge of being so. Large sizes are left out: they are valid, and need memory. */
const ODD: readonly unknown[] = [
  null, "", "x", "none", -1, -0, 0, 0.5, 1, 1.5, 2, 1e-300, 1e39, 1e308, Number.NaN, Number.POSITIVE_INFINITY,
  true, [], [0], [1, 2], ["1"], {}, { from: 0, to: 1 }, { from: 1, to: 1e-9, shape: "exponential" },
  { from: 0, to: 1, shape: "exponential" }, { from: 2, to: 1, until: 0.5 }, { from: 0.9, to: 0.9, until: 2 },
]; // biome-ignore format: a list
const NAMES: Partial<Record<KeyName, readonly string[]>> = {
  task: ["tfbind8", "hypergrid", "bit-sequence", "regime", "pricing", "hypergird"],
  table: ["surrogate", "simplified", "package.json", "no-such-file"],
  objective: [
    "db",
    "tb",
    "subtb",
    "sdb",
    "sdb-marginal",
    "stb",
    "ssubtb",
    "kl",
    "kl-thought",
    "kl-literal",
    "soft-q",
    "eflow",
  ],
  balance: ["db", "tb", "subtb", "fl-db", "vargrad"],
  dynamics: ["none", "none-intended", "joint", "marginal", "expected", "thought"],
  loss: ["squared", "huber", "kl", "kl-literal"],
  entropyRatio: ["none", "observe", "behaviour", "potential", "margin"],
  entropyEstimator: ["quantile", "clamp", "state"],
  activation: ["relu", "gelu"],
  state: ["one-hot", "embedded", "none"],
  encoder: ["none", "thought", "realised", "both"],
  dynamicsEncoder: ["none", "thought", "realised", "both"],
  engine: ["native", "jax"],
  known: ["package.json", "no-such-file"],
};
const SMALL: Partial<Record<KeyName, readonly number[]>> = {
  dimensions: [1, 2, 3],
  side: [2, 3, 8],
  bits: [1, 2, 6, 8],
  word: [1, 2, 4, 8],
  modes: [1, 2, 5],
  months: [1, 2],
  encoderLayers: [1, 2],
  encoderWidth: [2, 4, 7],
  encoderHeads: [1, 2, 3],
};

function randomConfig(stream: RandomStream): Record<string, unknown> {
  const pick = <T>(list: readonly T[]): T => list[stream.integer(list.length)];
  // Scores of all strings of DNA take their time.
  const task = pick([
    "tfbind8",
    "hypergrid",
    "hypergrid",
    "bit-sequence",
    "bit-sequence",
    "regime",
    "pricing",
  ] as const);
  const fitting = withDefaults({ task }) as Record<string, unknown>;
  const config: Record<string, unknown> = { task, ...(task === "bit-sequence" && { bits: 8 }) };
  // Mostly one oddity or none, so that many configs come through.
  const oddness = pick([0, 0, 0.02, 0.2]);
  for (const name of KEY_NAMES) {
    if (stream.uniform() < oddness) config[name] = pick(ODD);
    else if (stream.uniform() < 0.2) {
      const values = NAMES[name] ?? SMALL[name] ?? [fitting[name]];
      if (name in fitting || stream.uniform() < 0.1) config[name] = pick(values as readonly unknown[]);
    }
  }
  return config;
}

async function attempt(value: unknown): Promise<"valid" | "refused"> {
  try {
    const complete = await completeConfig(parseConfig(value, "random"));
    const task = await taskOf(complete);
    const options = await trainOptionsOf(complete, task);
    expect(parseConfigText(configText(complete), "again")).toEqual(complete);
    // What a trainer does before it compiles.
    checkSettings(options);
    const { exponent, floor } = options.reward;
    const rewards = { values: Float32Array.from(rewardTable(task.scores, { exponent, floor }), Math.log) };
    const uses = { given: true, epsilon: true, temperature: true, episodes: true };
    trainingIteration(model(task.environment, options), { ...options, rewards, uses });
    return "valid";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const problem of error.problems) expect(problem).toMatch(/^\S[^\n]*\S$/);
    return "refused";
  }
}

test(`${COUNT} random configs are valid or refused, and many are either`, async () => {
  const stream = RandomStream.fromSeed(17);
  const counts = { valid: 0, refused: 0 };
  for (let i = 0; i < COUNT; i++) {
    const config = randomConfig(stream);
    try {
      counts[await attempt(config)]++;
    } catch (error) {
      throw new Error(`config ${i}: ${JSON.stringify(config)}`, { cause: error });
    }
  }
  expect(counts.valid).toBeGreaterThan(COUNT / 5);
  expect(counts.refused).toBeGreaterThan(COUNT / 5);
});
