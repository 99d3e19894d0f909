import { expect, test } from "vitest";
import type { TrainEvent } from "../gfn/training/events.ts";
import { runIntro } from "./run-intro.ts";

const CONFIG = {
  ...{ task: "tfbind8", stick: 0.25, rewardExponent: 3, balance: "db", dynamics: "marginal", loss: "kl" },
  ...{ batch: 128, seed: 7, engine: "native", iterations: 2000 },
};
const events = (...all: readonly object[]) => all as unknown as readonly TrainEvent[];

test("a complete run is described by its task, objective and length", () => {
  const log = events({ kind: "iteration", iteration: 2000 }, { kind: "end", iterations: 2000, seconds: 65 });
  expect(runIntro({ config: CONFIG, events: log })).toEqual([
    "tfbind8 with stick 0.25 and reward exponent 3.",
    "db + marginal + kl, 2,000 iterations of 128 trajectories in 1 min 5 s, seed 7, native engine.",
  ]);
});

test("a run that was stopped says how far it got", () => {
  const [, training] = runIntro({ config: CONFIG, events: events({ kind: "iteration", iteration: 150 }) });
  expect(training).toContain("150 of 2000 iterations");
  expect(training).toMatch(/The run is not complete\.$/);
});

test("values that are missing or of another kind are shown as they are", () => {
  const log = events({ kind: "iteration", iteration: "many" }, { kind: "evaluation", seconds: null });
  const [task] = runIntro({ config: { task: "<script>" }, events: log });
  expect(task).toBe("<script> with reward exponent –.");
});
