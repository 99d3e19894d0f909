// Configs at the ends of their ranges on a machine of 20 GiB, and estimates against measured memory.

import { afterEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../issues.ts";
import { checkMemory, memoryNeeds, type Purpose } from "./check-memory.ts";
import type { Config } from "./config.ts";
import { withDefaults } from "./fill-defaults.ts";
import { parseConfig } from "./parse.ts";

const MACHINE = 20 * 2 ** 30;
const LARGEST = 2 ** 31 - 1;
const THOUGHT: Config = { objective: "kl-thought", encoder: "both" };

afterEach(() => {
  vi.restoreAllMocks();
});

async function refusal(config: Config, purpose: Purpose, memory = MACHINE): Promise<UserError | null> {
  vi.spyOn(process, "availableMemory").mockReturnValue(memory);
  const valid = await parseConfig(config);
  return checkMemory(valid, purpose).then(
    () => null,
    (error) => {
      expect(error).toBeInstanceOf(UserError);
      return error;
    },
  );
}

describe("refused with what was asked, what it takes, what there is, and values that fit:", () => {
  test.each<[Purpose, Config, string]>([
    ["train", { task: "bit-sequence", bits: 24, word: 8 }, "bits: 24 … transitions of the states"],
    ["limit", { task: "bit-sequence", bits: 24, word: 8 }, "bits: 24 … transitions of the states"],
    [
      "train",
      { task: "bit-sequence", bits: 16, word: 8, objective: "kl", encoder: "both" },
      "bits: 16 … histories",
    ],
    [
      "train",
      { task: "hypergrid", side: 2 ** 24, dimensions: 1 },
      "side: 16777216 … trajectories of a batch",
    ],
    ["train", { task: "hypergrid", side: 2, dimensions: 24 }, "dimensions: 24 … transitions of the states"],
    ["train", { task: "hypergrid", side: 4096 }, "side: 4096 … network inputs of all states"],
    [
      "train",
      { task: "hypergrid", side: 256, dimensions: 3 },
      "dimensions: 3 … network inputs of all states",
    ],
    ["train", { task: "tfbind8", samples: 1e9 }, "samples: 1000000000 … samples"],
    ["train", { task: "regime", samples: LARGEST }, "samples: 2147483647 … samples"],
    ["train", { task: "pricing", months: 6, batch: LARGEST }, "batch: 2147483647 … trajectories of a batch"],
    ["train", { hidden: [LARGEST, LARGEST] }, "hidden: 2147483647,2147483647 … parameters of the networks"],
    ["train", { state: "embedded", embeddingWidth: LARGEST }, "embeddingWidth: 2147483647 … parameters"],
    ["train", { dynamicsHidden: [LARGEST] }, "dynamicsHidden: 2147483647 … trajectories of a batch"],
    ["train", { replayShare: 0.5, replayCapacity: LARGEST }, "replayCapacity: 2147483647 … replay buffers"],
    ["train", { dynamicsReplayCapacity: LARGEST }, "dynamicsReplayCapacity: 2147483647 … replay buffers"],
    [
      "train",
      { dynamicsReplayCapacity: 9, dynamicsReplayBatch: LARGEST },
      "dynamicsReplayBatch: 2147483647 … stored trajectories of an update",
    ],
    [
      "train",
      { task: "regime", ...THOUGHT, encoderWidth: LARGEST - 1, encoderHeads: 1 },
      "encoderWidth: 2147483646 … parameters of the networks",
    ],
    [
      "train",
      { encoder: "outcomes", encoderFeedForward: LARGEST },
      "encoderFeedForward: 2147483647 … parameters",
    ],
    [
      "train",
      { task: "regime", ...THOUGHT, objectMarginalHidden: [LARGEST] },
      "objectMarginalHidden: 2147483647 … parameters",
    ],
  ])("%s %j", async (purpose, config, expected) => {
    const error = await refusal(config, purpose);
    const [asked, largest] = expected.split(" … ");
    expect(error?.message).toMatch(
      /^\w+: \S+ would take about [\d.,]+ [MGTP]iB of memory, most of it for .* \([\d.,]+ [MGTP]iB\), but about [\d.]+ [MG]iB are available; at most \S+ fits(, or `\w+` \S+)*$/,
    );
    expect(error?.message).toContain(`${asked} would take`);
    expect(error?.message).toContain(largest);
    // Each of the values fits, and so the remedy is one.
    const path = error?.issues[0].path as string;
    const values = [
      [path, /at most (\S+?) fits/.exec(error?.message ?? "")?.[1]],
      ...[...(error?.message.matchAll(/or `(\w+)` ([^,\s]+)/g) ?? [])].map(([, key, value]) => [key, value]),
    ] as [string, string][];
    for (const [key, text] of values) {
      const value = Array.isArray(config[key]) ? text.split(",").map(Number) : Number(text);
      expect([key, await refusal({ ...config, [key]: value }, purpose)]).toEqual([key, null]);
    }
  });

  test("without one option that is enough, the message says so", async () => {
    const error = await refusal({ task: "bit-sequence", bits: 24, word: 8, modes: 2 ** 24 }, "train");
    expect(error?.message).toMatch(/^task: bit-sequence would take about .*; lower several of its options$/);
  });
});

test("what is not needed is not counted: a limit has no batch, and a task alone no states", async () => {
  const config: Config = { task: "bit-sequence", bits: 24, word: 8, batch: LARGEST };
  expect((await refusal({ ...config, word: 2 }, "limit"))?.message).toBeUndefined();
  expect(await refusal(config, "task")).toBeNull();
  expect(await refusal(config, "task", 2 ** 28)).toBeInstanceOf(UserError);
});

test("the defaults of all tasks fit into one GiB", async () => {
  for (const task of ["tfbind8", "hypergrid", "bit-sequence", "regime", "pricing"]) {
    expect([task, await refusal({ task }, "train", 2 ** 30)]).toEqual([task, null]);
  }
});

/** Largest memory of a process that trained for two iterations, less the 205 MiB of the smallest run. */
const SMALL: Config = { hidden: [8], batch: 8, samples: 10 };
test.each<[number, Config]>([
  [950, { task: "bit-sequence", bits: 16, word: 8, ...SMALL }],
  [1060, { task: "bit-sequence", bits: 18, word: 6, ...SMALL }],
  [416, { task: "bit-sequence", bits: 20, word: 1, ...SMALL }],
  [478, { task: "bit-sequence", bits: 20, word: 4, ...SMALL }],
  [687, { task: "bit-sequence", bits: 20, word: 4, modes: 1_000_000, ...SMALL }],
  [1506, { task: "bit-sequence", bits: 22, word: 1, ...SMALL }],
  [828, { task: "hypergrid", side: 2, dimensions: 18, ...SMALL }],
  [237, { task: "hypergrid", side: 200, dimensions: 1, ...SMALL }],
  [358, { task: "tfbind8", batch: 4096 }],
  [2360, { task: "tfbind8", hidden: [4096, 4096], batch: 8 }],
  [1412, { task: "hypergrid", samples: 1_000_000 }],
  [1648, { task: "tfbind8", samples: 1_000_000 }],
])(
  "%d MiB were measured, and the estimate is at least that and at most two and a half times",
  async (mebibytes, config) => {
    const needs = await memoryNeeds(await withDefaults(config), "train");
    const estimate = needs.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
    expect(estimate).toBeGreaterThanOrEqual(mebibytes);
    expect(estimate).toBeLessThan(2.5 * mebibytes);
  },
);
