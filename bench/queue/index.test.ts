import { describe, expect, test } from "vitest";
import { UsageError } from "../benchmark.ts";
import { formatTable } from "../report.ts";
import type { BrokerCost } from "./broker-cost.ts";
import { queue, selectCases } from "./index.ts";
import { type QueueRow, TABLE } from "./rows.ts";
import { brokerNeeds } from "./simulation.ts";
import { judge } from "./storm.ts";
import { mostExtraStarts, type StormSize, stormPlan } from "./storm-plan.ts";

const STORM: StormSize = {
  ...{ units: 1000, workers: 4, workerKills: 20, brokerKills: 5, coordinatorKills: 3, cuts: 2 },
};

describe("a selection", () => {
  test("has every measurement on both stores", () => {
    const all = selectCases();
    expect(all).toHaveLength(10);
    expect(all.filter(({ store }) => store === "redis")).toHaveLength(5);
  });

  test("without rows fails and lists them", () => {
    expect(selectCases(/redis, kill/).map(({ section }) => section.name)).toEqual(["kill storm"]);
    expect(() => selectCases(/nothing/)).toThrow(UsageError);
    expect(() => selectCases(/nothing/)).toThrow(
      /available rows: redis, empty units; postgresql, empty units; /,
    );
  });
});

test("only complete results are recorded", () => {
  expect(queue.recordProblem?.({ ...queue.full, quick: false })).toBeUndefined();
  expect(queue.recordProblem?.({ ...queue.quick, quick: true })).toMatch(/--record needs a complete result/);
});

describe("the plan of a storm", () => {
  const plan = stormPlan(STORM, 1, 200);

  test("has every disturbance once, in order and before the last units", () => {
    const count = (kind: string) => plan.filter((each) => each.kind === kind).length;
    expect(["worker", "broker", "coordinator", "cut"].map(count)).toEqual([20, 5, 3, 2]);
    expect(plan.map(({ after }) => after)).toEqual(plan.map(({ after }) => after).toSorted((a, b) => a - b));
    for (const { after, delay } of plan) {
      expect(after).toBeGreaterThanOrEqual(20);
      expect(after).toBeLessThan(950);
      expect(delay).toBeLessThan(400);
    }
  });

  test("depends on the seed only", () => {
    expect(stormPlan(STORM, 1, 200)).toEqual(plan);
    expect(stormPlan(STORM, 2, 200)).not.toEqual(plan);
  });

  test("allows 20 × 1 + (5 + 2) × 4 extra starts", () => {
    expect(mostExtraStarts(STORM)).toBe(48);
  });
});

describe("the results of a storm", () => {
  test("are right if every unit has its own name once", () => {
    const lines = [1, 0, 2].map((index) => ({ index, name: `storm ${index}` }));
    expect(judge(lines, 3)).toEqual({ right: 3, wrong: 0, missing: 0, repeated: 0, failures: [] });
  });

  test("are counted if they are wrong, missing, repeated or failed", () => {
    const lines = [
      { index: 0, name: "storm 1" },
      { index: 1, name: "storm 1" },
      { index: 1, name: "storm 1" },
      { index: 2, failure: "lost" },
    ];
    expect(judge(lines, 5)).toEqual({ right: 1, wrong: 1, missing: 2, repeated: 1, failures: ["lost"] });
  });
});

test("a broker needs requests for units and for workers, and connections for workers", () => {
  const cost: BrokerCost = {
    ...{ connectionsPerWorker: 2, connectionsPerCoordinator: 3, idleRequests: 1, busyRequests: 0.5 },
    ...{ unitRequests: 4, unitSeconds: 0.001, queuedBytes: 1000 },
  };
  const load = { slots: 1000, slotsPerWorker: 10, unitSeconds: 2, queued: 50, unitCharacters: 24 };
  expect(brokerNeeds(cost, load)).toEqual({
    unitsPerSecond: 500,
    requestsPerSecond: 500 * 4 + 100 * 0.5,
    cores: 500 * 0.001 + 100 * 0.5 * 0.00025,
    connections: 203,
    bytes: 50 * 1024,
  });
});

test("the table says which requirements were not met, and which were not checked", () => {
  const row: QueueRow = {
    ...{ bench: "queue", setting: "redis, empty units", measured: "9 ms", required: "5 ms", result: null },
    met: false,
  };
  const text = formatTable([row, { ...row, met: null }, { ...row, met: true }], TABLE);
  expect(text.split("\n").map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    "met",
    "NO",
    "not checked: quick",
    "yes",
  ]);
});
