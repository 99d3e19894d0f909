// Whole training runs on environments small enough to know the answer.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/index.ts";
import { constantSchedule, cosineSchedule, linearSchedule } from "../nn/index.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { DEFAULT_GRID_REWARD, gridRewards } from "./environments/hypergrid-states.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import type { TrainEvent } from "./events.ts";
import { objectiveNamed } from "./objectives/choice.ts";
import { type TrainOptions, train } from "./train.ts";

const strings = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });

function options(changes: Partial<TrainOptions>): TrainOptions {
  const iterations = changes.iterations ?? 600;
  const stream = RandomStream.fromSeed(11);
  return {
    environment: strings,
    reward: Float64Array.from({ length: 27 }, () => Math.exp(1.5 * stream.normal())),
    objective: objectiveNamed("kl"),
    iterations,
    batch: 64,
    policy: { hidden: [32], memoryRows: 1000 },
    dynamics: { hidden: [16] },
    learningRate: cosineSchedule({ from: 2e-2, to: 1e-4, steps: iterations }),
    dynamicsLearningRate: cosineSchedule({ from: 1e-2, to: 1e-4, steps: iterations }),
    clip: 100,
    lambda: 0.9,
    uniformShare: linearSchedule({ from: 0.5, to: 0, steps: Math.ceil(iterations / 2) }),
    evaluateEvery: iterations,
    seed: 0,
    engine: "native",
    ...changes,
  };
}

async function collect(run: AsyncIterable<TrainEvent>): Promise<TrainEvent[]> {
  const events: TrainEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

function lastEvaluation(events: readonly TrainEvent[]) {
  const event = events.findLast(({ kind }) => kind === "evaluation");
  if (event?.kind !== "evaluation") throw new Error("no evaluation");
  return event;
}

describe("training", () => {
  test("ends at the best reachable policy where noise keeps the target out of reach", async () => {
    const { reached, limit, uniform } = lastEvaluation(await collect(train(options({}))));
    expect(limit.kl).toBeGreaterThan(0.01);
    expect(reached.kl).toBeLessThan(limit.kl + 0.005);
    expect(reached.tv).toBeLessThan(limit.tv + 0.01);
    expect(uniform.kl).toBeGreaterThan(reached.kl + 0.1);
  });

  test("without the dynamics it ends somewhere else", async () => {
    const plain = options({ objective: { balance: "db", dynamics: "none", loss: "squared" } });
    const { reached, limit } = lastEvaluation(await collect(train(plain)));
    expect(reached.kl).toBeGreaterThan(limit.kl + 0.02);
  });

  test("learns a grid, and the sum of its rewards", async () => {
    const space = { dimensions: 2, side: 4 };
    const { reached, limit, logZError } = lastEvaluation(
      await collect(
        train(
          options({
            environment: hypergridEnvironment({ ...space, stick: 0.25 }),
            reward: gridRewards(space, { ...DEFAULT_GRID_REWARD, r0: 0.1 }),
          }),
        ),
      ),
    );
    expect(reached.tv).toBeLessThan(limit.tv + 0.02);
    expect(Math.abs(logZError)).toBeLessThan(0.05);
  });

  test("is the same to the bit with and without evaluation on the way", async () => {
    const losses = async (evaluateEvery: number) =>
      (await collect(train(options({ iterations: 40, evaluateEvery })))).flatMap((event) =>
        event.kind === "iteration" ? [event.loss] : [],
      );
    expect(await losses(7)).toEqual(await losses(40));
  });

  test("depends on the share of uniformly drawn objects", async () => {
    const short = { iterations: 30 };
    const final = async (share: number) =>
      lastEvaluation(await collect(train(options({ ...short, uniformShare: constantSchedule(share) }))))
        .reached.kl;
    expect(await final(0)).not.toBe(await final(0.5));
  });
});

describe("a way to an object", () => {
  test("spells a string", () => {
    expect(strings.wayTo(0, RandomStream.fromSeed(0))).toEqual([0, 0, 0]);
    expect(strings.wayTo(5, RandomStream.fromSeed(0))).toEqual([0, 1, 2]);
    const variable = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0, variable: true });
    expect(variable.wayTo(0, RandomStream.fromSeed(0))).toEqual([]);
    expect(variable.wayTo(5, RandomStream.fromSeed(0))).toEqual([1, 0]);
  });

  test("visits a cell by every order of its moves alike", () => {
    const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 });
    const stream = RandomStream.fromSeed(1);
    const counts = new Map<string, number>();
    for (let i = 0; i < 600; i++) {
      const way = grid.wayTo(1 + 3 * 2, stream).join("");
      counts.set(way, (counts.get(way) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(["011", "101", "110"]);
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(60);
  });
});
