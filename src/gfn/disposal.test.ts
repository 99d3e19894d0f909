// Whatever fails, and wherever: programs that were compiled are disposed of.

import { afterEach, describe, expect, test, vi } from "vitest";
import { ask, smallRun } from "../../test/support/small-run.ts";
import { collect } from "../../test/support/training-events.ts";
import { measureRate } from "./measure-rate.ts";
import { train } from "./train.ts";

const engine = vi.hoisted(() => ({ open: [] as string[], compiled: 0, failsAt: Number.POSITIVE_INFINITY }));

vi.mock(import("../engine/index.ts"), async (original) => {
  const real = await original();
  const compile: typeof real.compile = async (f, example, options) => {
    if (++engine.compiled === engine.failsAt) throw new Error("no room for another program");
    const program = await real.compile(f, example, options);
    engine.open.push(program.name);
    const dispose = program.dispose.bind(program);
    program.dispose = async () => {
      engine.open.splice(engine.open.indexOf(program.name), 1);
      await dispose();
    };
    return program;
  };
  return { ...real, compile };
});

afterEach(() => {
  const { open } = engine;
  Object.assign(engine, { open: [], compiled: 0, failsAt: Number.POSITIVE_INFINITY });
  expect(open).toEqual([]);
});

describe("nothing stays behind", () => {
  test("after a run", async () => {
    await collect(train(smallRun({ scores: ask, iterations: 1 })));
    expect(engine.compiled).toBe(3);
  });

  test.each([1, 2])("of a run with a table if program %i cannot be compiled", async (failsAt) => {
    Object.assign(engine, { failsAt });
    await expect(collect(train(smallRun()))).rejects.toThrow("no room");
  });

  test.each([1, 2, 3])("of a run with a score function if program %i cannot be compiled", async (failsAt) => {
    Object.assign(engine, { failsAt });
    await expect(collect(train(smallRun({ scores: ask })))).rejects.toThrow("no room");
  });

  test("if samples are asked for that cannot be", async () => {
    await expect(collect(train(smallRun({ scores: ask, samples: 0 })))).rejects.toThrow("samples must be");
  });

  test("if scores cannot be had", async () => {
    const broken = () => Promise.reject(new Error("out of order"));
    await expect(collect(train(smallRun({ scores: broken })))).rejects.toThrow("out of order");
  });

  test("if a checkpoint does not fit", async () => {
    const events = await collect(train(smallRun({ iterations: 1 })));
    const resume = events.flatMap((event) => (event.kind === "checkpoint" ? [event.snapshot] : []))[0];
    await expect(collect(train(smallRun({ seed: 4, resume })))).rejects.toThrow("seed is 3");
  });

  test("if nobody listens any more", async () => {
    for await (const event of train(smallRun())) if (event.kind === "iteration") break;
    expect(engine.compiled).toBe(2);
  });

  test("of a measurement, done or failed", async () => {
    await measureRate(smallRun(), 0.05);
    Object.assign(engine, { compiled: 0, failsAt: 2 });
    await expect(measureRate(smallRun(), 0.05)).rejects.toThrow("no room");
  });
});
