// Each random config gives valid training options or a UserError, and no other error.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/index.ts";
import { model } from "../gfn/policy/model.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { trainingIteration } from "../gfn/training/iteration.ts";
import { issueText, UserError } from "../issues.ts";
import { completeConfig, configText } from "./complete.ts";
import { CONFIG_KEYS } from "./config.ts";
import { withDefaults } from "./fill-defaults.ts";
import { parseConfig, parseConfigText } from "./parse.ts";
import { taskOf, trainOptionsOf } from "./train-options.ts";

const COUNT = 200;

/** Invalid values and limits of valid ones. Large sizes are left out: they are valid, but need much memory. */
const ODD: readonly unknown[] = [
  null, "", "x", "none", -1, -0, 0, 0.5, 1, 1.5, 2, 1e-300, 1e39, 1e308, Number.NaN, Number.POSITIVE_INFINITY,
  true, [], [0], [1, 2], ["1"], {}, { from: 0, to: 1 }, { from: 1, to: 1e-9, shape: "exponential" },
  { from: 0, to: 1, shape: "exponential" }, { from: 2, to: 1, until: 0.5 }, { from: 0.9, to: 0.9, until: 2 },
]; // biome-ignore format: a list
const NAMES: Readonly<Record<string, readonly string[]>> = {
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
  encoder: ["none", "thought", "outcomes", "both"],
  dynamicsEncoder: ["none", "thought", "outcomes", "both"],
  engine: ["native", "jax"],
  offlineFile: ["package.json", "no-such-file"],
};
const SMALL: Readonly<Record<string, readonly number[]>> = {
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

async function randomConfig(stream: RandomStream): Promise<Record<string, unknown>> {
  const pick = <T>(list: readonly T[]): T => list[stream.integer(list.length)];
  // Rarely tfbind8, whose scores take long.
  const task = pick([
    "tfbind8",
    "hypergrid",
    "hypergrid",
    "bit-sequence",
    "bit-sequence",
    "regime",
    "pricing",
  ] as const);
  const fitting = (await withDefaults({ task })) as Record<string, unknown>;
  const config: Record<string, unknown> = { task, ...(task === "bit-sequence" && { bits: 8 }) };
  // Mostly one odd value or none, so that many configs are valid.
  const oddness = pick([0, 0, 0.02, 0.2]);
  for (const name of Object.keys(CONFIG_KEYS)) {
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
    const complete = await completeConfig(await parseConfig(value));
    const task = await taskOf(complete);
    const options = await trainOptionsOf(complete, task);
    expect(await parseConfigText(configText(complete), "again")).toEqual(complete);
    // The same calls as in `modelTrainer` before compilation.
    const { rewardExponent: exponent, rewardFloor: floor } = options;
    const rewards = { values: Float32Array.from(rewardTable(task.scores, { exponent, floor }), Math.log) };
    const uses = { offPolicy: true, epsilon: true, temperature: true, trajectories: true };
    trainingIteration(model(task.environment, options), { ...options, rewards, uses });
    return "valid";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.issues.length).toBeGreaterThan(0);
    for (const issue of error.issues) expect(issueText(issue)).toMatch(/^\S[^\n]*\S$/);
    return "refused";
  }
}

test(`${COUNT} random configs are valid or refused, and many are either`, async () => {
  const stream = RandomStream.fromSeed(17);
  const counts = { valid: 0, refused: 0 };
  for (let i = 0; i < COUNT; i++) {
    const config = await randomConfig(stream);
    try {
      counts[await attempt(config)]++;
    } catch (error) {
      throw new Error(`config ${i}: ${JSON.stringify(config)}`, { cause: error });
    }
  }
  expect(counts.valid).toBeGreaterThan(COUNT / 5);
  expect(counts.refused).toBeGreaterThan(COUNT / 5);
});
