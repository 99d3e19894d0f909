// Compiled programs are disposed of, whatever fails and wherever.

import { afterEach, describe, expect, test, vi } from "vitest";
import { ask, smallRun } from "../../../test/support/small-run.ts";
import { collect } from "../../../test/support/training-events.ts";
import { train } from "./train.ts";

const engine = vi.hoisted(() => ({ open: [] as string[], compiled: 0, failsAt: Number.POSITIVE_INFINITY }));

vi.mock(import("../../engine/index.ts"), async (original) => {
  const real = await original();
  const compile: typeof real.compile = async (f, example, options) => {
    if (++engine.compiled === engine.failsAt) throw new Error("compilation failed");
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

describe("all programs are disposed of", () => {
  test("after a run", async () => {
    await collect(train(smallRun({ scores: ask, iterations: 1 })));
    expect(engine.compiled).toBe(3);
  });

  test.each([1, 2])("if program %i of a run with a score table cannot be compiled", async (failsAt) => {
    Object.assign(engine, { failsAt });
    await expect(collect(train(smallRun()))).rejects.toThrow("compilation failed");
  });

  test.each([1, 2, 3])("if program %i of a run with a score function cannot be compiled", async (failsAt) => {
    Object.assign(engine, { failsAt });
    await expect(collect(train(smallRun({ scores: ask })))).rejects.toThrow("compilation failed");
  });

  test("if the number of samples is invalid", async () => {
    await expect(collect(train(smallRun({ scores: ask, samples: 0 })))).rejects.toThrow("samples: must be");
  });

  test("if the score function fails", async () => {
    const broken = () => Promise.reject(new Error("out of order"));
    await expect(collect(train(smallRun({ scores: broken })))).rejects.toThrow("out of order");
  });

  test("if the checkpoint is of another run", async () => {
    const events = await collect(train(smallRun({ iterations: 1 })));
    const resume = events.flatMap((event) => (event.kind === "checkpoint" ? [event.snapshot] : []))[0];
    await expect(collect(train(smallRun({ seed: 4, resume })))).rejects.toThrow("seed is 3");
  });

  test("if the consumer stops iterating", async () => {
    for await (const event of train(smallRun())) if (event.kind === "iteration") break;
    expect(engine.compiled).toBe(2);
  });
});
