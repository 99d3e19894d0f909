// The off-policy rows of a batch: how many come from each source, which objects they follow, and which trajectories are
// stored.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { RandomStream } from "../../engine/index.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../environment/sequence.ts";
import {
  OFF_POLICY_STREAMS,
  type OffPolicyData,
  type OffPolicyOptions,
  type OffPolicyStreams,
  offPolicyData,
  storesTrajectories,
  usesOffPolicyRows,
} from "./off-policy-data.ts";
import type { TrajectoryIndices } from "./replay-buffer.ts";

const STEPS = 4;
const strings = sequenceEnvironment({ alphabet: "ABC", length: STEPS, stick: 0.25 });
const NONE = { uniformShare: 0, offlineShare: 0, replayShare: 0 };
const OFFLINE = ["CCCC", "CCCB"];
const BATCH = 20;
const SETTINGS = {
  ...NONE,
  batch: BATCH,
  replayCapacity: 100,
  replayPriority: 0,
  dynamicsReplayCapacity: 0,
  dynamicsReplayBatch: 3,
  dynamicsReplayRounds: 2,
};

function dataOf(changes: Partial<OffPolicyOptions>, seed = 1): OffPolicyData {
  const root = RandomStream.fromSeed(seed);
  const streams = Object.fromEntries(OFF_POLICY_STREAMS.map((name) => [name, root.split(name)]));
  return offPolicyData(
    strings,
    { ...SETTINGS, offlineObjects: OFFLINE, ...changes },
    streams as OffPolicyStreams,
  );
}

/** A batch of trajectories: in row r every action is A, and every outcome letter r mod 3. */
function trajectories(rows = BATCH): TrajectoryIndices {
  return {
    actions: new Int32Array(STEPS * rows),
    outcomes: Int32Array.from({ length: STEPS * rows }, (_, i) => (i % rows) % 3),
  };
}

/** The off-policy rows as text, with their actions, which are −1 if unknown. */
function offPolicyRows({ rows }: OffPolicyData) {
  const column = (indices: Int32Array, row: number) =>
    Array.from({ length: STEPS }, (_, t) => indices[t * rows.mask.length + row]);
  return [...rows.mask.keys()]
    .filter((row) => rows.mask[row] === 1)
    .map((row) => ({
      row,
      text: strings.describe(column(rows.outcomes, row)),
      thought: column(rows.actions, row),
    }));
}

/** Number of off-policy rows from each source. */
function countsBySource(data: OffPolicyData): { uniform: number; offline: number; replay: number } {
  const counts = { uniform: 0, offline: 0, replay: 0 };
  for (const { text, thought } of offPolicyRows(data)) {
    if (thought.every((action) => action >= 0)) counts.replay++;
    else if (OFFLINE.includes(text)) counts.offline++;
    else counts.uniform++;
  }
  return counts;
}

describe("the number of rows from each source follows its share:", () => {
  const falling = { from: 0.5, to: 0 };
  const rising = { from: 0, to: 0.4, until: 0.5 };
  const changing = { uniformShare: falling, offlineShare: rising, replayShare: 0.1 };
  test.each<[number, Partial<OffPolicyOptions>, object]>([
    [0, NONE, { uniform: 0, offline: 0, replay: 0 }],
    [
      0.5,
      { uniformShare: 0.25, offlineShare: 0.1, replayShare: 0.5 },
      { uniform: 5, offline: 2, replay: 10 },
    ],
    [0, changing, { uniform: 10, offline: 0, replay: 2 }],
    [0.25, changing, { uniform: 8, offline: 4, replay: 2 }],
    [0.5, changing, { uniform: 5, offline: 8, replay: 2 }],
    [0.99, changing, { uniform: 0, offline: 8, replay: 2 }],
    // Half a row is rounded up, and a smaller share down.
    [0, { uniformShare: 0.025, offlineShare: 0.024 }, { uniform: 1, offline: 0, replay: 0 }],
    [0, { offlineShare: 1 }, { uniform: 0, offline: 20, replay: 0 }],
  ])("at progress %d, for %o", (progress, shares, expected) => {
    const data = dataOf(shares);
    data.store(trajectories(), () => 1);
    data.sampleRows(progress);
    expect(countsBySource(data)).toEqual(expected);
  });

  test("the rows never exceed the batch, even if all shares are rounded up", () => {
    const data = dataOf({ batch: 3, uniformShare: 0.5, offlineShare: 0.5 });
    data.sampleRows(0);
    expect(countsBySource(data)).toEqual({ uniform: 2, offline: 1, replay: 0 });
  });

  test("no row of an iteration remains in the next one", () => {
    const data = dataOf({ offlineShare: { from: 1, to: 0 } });
    for (const [progress, count] of [
      [0, 20],
      [0.5, 10],
      [1, 0],
    ]) {
      data.sampleRows(progress);
      expect(offPolicyRows(data)).toHaveLength(count);
    }
  });

  test("there are no replayed rows before a trajectory is stored", () => {
    const data = dataOf({ replayShare: 0.5 });
    data.sampleRows(0);
    expect(offPolicyRows(data)).toEqual([]);
  });
});

describe("objects", () => {
  const sampled = (data: OffPolicyData, iterations: number) =>
    Array.from({ length: iterations }, () => {
      data.sampleRows(0);
      return offPolicyRows(data).map(({ text }) => text);
    }).flat();

  test("are sampled uniformly from all objects", () => {
    const counts = new Map<string, number>();
    for (const text of sampled(dataOf({ uniformShare: 1 }), 300)) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const uniform = new Array(81).fill(1 / 81);
    expect(counts.size).toBe(81);
    expect(chiSquare([...counts.values()], uniform)).toBeLessThan(chiSquareLimit(uniform));
  });

  test("are sampled uniformly from the offline objects", () => {
    const texts = sampled(dataOf({ offlineShare: 1 }), 50);
    const counts = OFFLINE.map((object) => texts.filter((text) => text === object).length);
    expect(counts[0] + counts[1]).toBe(1000);
    expect(chiSquare(counts, [0.5, 0.5])).toBeLessThan(chiSquareLimit([0.5, 0.5]));
  });

  test("of one source do not depend on the share of another", () => {
    const uniform = (offlineShare: number, replayShare: number) => {
      const data = dataOf({ uniformShare: 0.25, offlineShare, replayShare });
      data.store(trajectories(), () => 1);
      return Array.from({ length: 5 }, () => {
        data.sampleRows(0);
        return offPolicyRows(data)
          .slice(0, 5)
          .map(({ text }) => text);
      });
    };
    expect(uniform(0.25, 0.5)).toEqual(uniform(0, 0));
  });

  test("are the same for the same seed, and differ for different seeds", () => {
    const bySeed = (seed: number) => sampled(dataOf({ uniformShare: 1 }, seed), 2);
    expect(bySeed(1)).toEqual(bySeed(1));
    expect(bySeed(1)).not.toEqual(bySeed(2));
  });
});

describe("trajectories", () => {
  test("of on-policy rows are stored, and replayed with their actions", () => {
    const data = dataOf({ batch: 4, offlineShare: 0.5, replayShare: 0.5 });
    data.sampleRows(0);
    expect(offPolicyRows(data).map(({ row }) => row)).toEqual([0, 1]);
    // Rows 0 and 1 are off-policy. Row 2 wrote CCCC and row 3 AAAA.
    data.store(trajectories(4), () => 1);
    data.sampleRows(0);
    const replayed = offPolicyRows(data).slice(2);
    expect(replayed).toHaveLength(2);
    for (const { text, thought } of replayed) {
      expect(["CCCC", "AAAA"]).toContain(text);
      expect(thought).toEqual([0, 0, 0, 0]);
    }
  });

  test("are replayed in proportion to their scores", () => {
    const data = dataOf({ batch: 3, replayShare: { from: 1, to: 1 }, replayPriority: 1 });
    data.store(trajectories(3), (row) => [0, 1, 3][row]);
    const counts = [0, 0, 0];
    for (let i = 0; i < 500; i++) {
      data.sampleRows(0);
      for (const { text } of offPolicyRows(data)) counts["ABC".indexOf(text[0])]++;
    }
    expect(chiSquare(counts, [0, 0.25, 0.75])).toBeLessThan(chiSquareLimit([0, 0.25, 0.75]));
  });

  test("are replayed while they are among the newest that fit the capacity", () => {
    const data = dataOf({ replayShare: 1, replayCapacity: 1 });
    data.store(trajectories(), () => 1);
    data.sampleRows(0);
    // Row 19 was the last, and wrote B.
    expect(new Set(offPolicyRows(data).map(({ text }) => text))).toEqual(new Set(["BBBB"]));
  });

  test("for the dynamics model are sampled in rounds from its own buffer, and are −1 while it is empty", () => {
    expect(dataOf({}).sampleForDynamics()).toBeNull();
    const data = dataOf({ dynamicsReplayCapacity: 50 });
    const empty = data.sampleForDynamics();
    expect(empty?.actions).toEqual(new Int32Array(2 * STEPS * 3).fill(-1));
    expect(empty?.outcomes).toEqual(new Int32Array(2 * STEPS * 3).fill(-1));
    data.store(trajectories(), () => 1);
    const stored = data.sampleForDynamics();
    expect(stored?.actions).toEqual(new Int32Array(2 * STEPS * 3));
    for (let round = 0; round < 2; round++) {
      for (let row = 0; row < 3; row++) {
        // Each trajectory repeats a single letter.
        const letters = Array.from(
          { length: STEPS },
          (_, t) => stored?.outcomes[(round * STEPS + t) * 3 + row],
        );
        expect(new Set(letters).size).toBe(1);
        expect([0, 1, 2]).toContain(letters[0]);
      }
    }
  });
});

test("off-policy rows are used if a share is ever above zero; trajectories are stored if they are used again", () => {
  expect(usesOffPolicyRows(NONE)).toBe(false);
  expect(usesOffPolicyRows({ ...NONE, offlineShare: { from: 0, to: 0.1 } })).toBe(true);
  expect(storesTrajectories({ replayShare: 0, dynamicsReplayCapacity: 0 })).toBe(false);
  expect(storesTrajectories({ replayShare: { from: 0.5, to: 0 }, dynamicsReplayCapacity: 0 })).toBe(true);
  expect(storesTrajectories({ replayShare: 0, dynamicsReplayCapacity: 1 })).toBe(true);
});

describe("before the training starts, an error reports", () => {
  test("an offline text that is not an object", () => {
    expect(() => dataOf({ offlineShare: 1, offlineObjects: ["CCCC", "CC"] })).toThrow('"CC"');
  });

  test("a uniform share in an environment without an enumeration", () => {
    const long = longSequenceEnvironment({ alphabet: "AB", length: 40, stick: 0 });
    const streams = Object.fromEntries(
      OFF_POLICY_STREAMS.map((name) => [name, RandomStream.fromSeed(0).split(name)]),
    ) as OffPolicyStreams;
    expect(() => offPolicyData(long, { ...SETTINGS, uniformShare: 0.1 }, streams)).toThrow(
      "internal: the objects of strings of 40 letters out of AB are not enumerated",
    );
  });
});
