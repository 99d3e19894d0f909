// Tests of sweeps: variations as text, the settings of each strategy, rungs, and every mistake.

import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { parseSweep, pointsOf, rungsOf, type SweepInput, sweepFromInput, sweepText } from "./sweep.ts";

const methodsOf = (input: SweepInput) => pointsOf(sweepFromInput(input)).map(({ method }) => method);

describe("a grid", () => {
  test("has all combinations of lists, in brackets too, and names the values", () => {
    const input = { method: "sdb:clip=1", vary: ["hidden=[64],[8,8],none", "balance=db,tb"] };
    expect(methodsOf(input)).toEqual([
      ...["sdb:balance=db,hidden=64,clip=1", "sdb:balance=tb,hidden=64,clip=1"],
      ...["sdb:balance=db,hidden=8,8,clip=1", "sdb:balance=tb,hidden=8,8,clip=1"],
      ...["sdb:balance=db,hidden=none,clip=1", "sdb:balance=tb,hidden=none,clip=1"],
    ]);
    expect(pointsOf(sweepFromInput(input))[2].values).toEqual({ hidden: "8,8", balance: "db" });
  });

  test("cuts ranges evenly, also in the logarithm, and rounds whole numbers", () => {
    expect(methodsOf({ vary: ["learningRate=1e-4..1e-2:log:3"] })).toEqual(
      ["0.0001", "0.001", "0.01"].map((rate) => `kl:learningRate=${rate}`),
    );
    expect(methodsOf({ vary: ["batch=8..12:5"] })).toEqual([8, 9, 10, 11, 12].map((n) => `kl:batch=${n}`));
    expect(methodsOf({ vary: ["clip=0..1"] })).toHaveLength(5);
  });

  test("takes schedules, short names, the task and the target", () => {
    const vary = ["learningRate=0.1:0.01,0.1", "gamma=0.25", "rewardExponent=1,2", "side=4"];
    expect(methodsOf({ method: "kl-entropy", vary })).toEqual([
      ...["0.1:0.01", "0.1"].flatMap((rate) =>
        [1, 2].map(
          (exponent) => `kl-entropy:learningRate=${rate},entropyGamma=0.25,side=4,rewardExponent=${exponent}`,
        ),
      ),
    ]);
  });
});

test("a random sample is within the ranges, different, and the same for the same seed", () => {
  const input = {
    vary: ["learningRate=1e-4..1e-2:log", "batch=8,16"],
    strategy: "random",
    samples: 20,
  } as const;
  const points = pointsOf(sweepFromInput(input));
  expect(new Set(points.map(({ method }) => method)).size).toBe(20);
  const rates = points.map(({ values }) => Number(values.learningRate));
  expect(Math.min(...rates)).toBeGreaterThanOrEqual(1e-4);
  expect(Math.max(...rates)).toBeLessThanOrEqual(1e-2);
  // Half of a uniform sample of the logarithm is below the geometric mean; a linear one would have a tenth there.
  expect(rates.filter((rate) => rate < 1e-3).length).toBeGreaterThan(5);
  expect(methodsOf(input)).toEqual(points.map(({ method }) => method));
  expect(methodsOf({ ...input, sampleSeed: 1 })).not.toEqual(points.map(({ method }) => method));
  expect(methodsOf({ ...input, vary: ["batch=8,16"] })).toHaveLength(2);
});

test("rungs end with the whole budget, and leave one setting if the budget allows", () => {
  const halving = sweepFromInput({ vary: ["batch=8,16"], strategy: "halving" });
  expect(rungsOf(halving, 27, 2700, 8)).toEqual([100, 300, 900, 2700]);
  expect(rungsOf({ ...halving, eta: 2 }, 5, 800, 8)).toEqual([100, 200, 400, 800]);
  expect(rungsOf(halving, 27, 2700, 200)).toEqual([300, 900, 2700]);
  expect(rungsOf(halving, 1, 2700, 8)).toEqual([2700]);
  expect(rungsOf(sweepFromInput({ vary: ["batch=8"] }), 27, 2700, 8)).toEqual([]);
});

test("sweep.json is read as it was written", () => {
  const sweep = sweepFromInput({ vary: ["batch=8,16"], strategy: "halving", samples: 4, metric: "kl" });
  expect(parseSweep(sweepText(sweep), "sweep.json")).toEqual(sweep);
  expect(() => parseSweep("{", "sweep.json")).toThrow("sweep.json: it is damaged: it is not JSON");
  expect(() => parseSweep('{"version":9}', "sweep.json")).toThrow("it has version 9");
});

test("searches are ranked by their sampled TV by default, all others by TV", () => {
  const metricOf = (method: string) => sweepFromInput({ method, vary: ["batch=8,16"] }).metric;
  expect(["kl", "ppo", "random", "metropolis"].map(metricOf)).toEqual(["tv", "tv", "tv", "sampledTv"]);
});

test.each<[SweepInput, string]>([
  [{}, "vary: is missing; give a key and its values, such as batch=32,64"],
  [{ vary: ["batch"] }, 'vary: must be written as in batch=32,64, got "batch"'],
  [{ vary: ["bacth=8"] }, 'vary: kl has no setting "bacth"; did you mean batch?'],
  [{ vary: ["table=/etc/passwd"] }, 'vary: kl has no setting "table"'],
  [{ vary: ["batch=8,8"] }, "vary: batch must have each value once, got 8 twice"],
  [{ vary: ["batch=8", "batch=16"] }, "vary: must have each key once, got batch twice"],
  [{ vary: ["batch=8,0"] }, 'vary: batch must be a whole number from 1 to 2^31 - 1, got "0"'],
  [
    { vary: ["clip=2..1"] },
    'vary: clip must be a range of rising numbers such as 1e-4..1e-2:log, got "2..1"',
  ],
  [{ vary: ["clip=0..1:log"] }, "vary: clip must be positive on a log scale, got 0"],
  [{ vary: ["clip=0..1:cubic"] }, "vary: clip may have log or linear and a number of values"],
  [{ vary: ["stick=0..1"] }, "vary: stick must be a number in [0, 1), got 1"],
  [{ vary: ["balance=a..b"] }, "vary: balance must be a range of rising numbers"],
  [{ vary: ["clip=1..9:999", "batch=1..2000:999"] }, "vary: must give at most 10000 settings, got 998001"],
  [
    { method: "kl:clip=1", vary: ["clip=1,2"] },
    "vary: varies clip, which the method sets, too; remove one of them",
  ],
  [{ method: "lk", vary: ["clip=1,2"] }, 'method: there is no method "lk"; did you mean kl?'],
  [{ vary: ["clip=1,2"], samples: 3 }, "samples: is for the strategies random and halving; remove it"],
  [{ vary: ["clip=1,2"], strategy: "random" }, "samples: is missing; give the number of random settings"],
])("%j is refused", (input, expected) => {
  const issues = (() => {
    try {
      sweepFromInput(input);
      return [];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return error.issues.map(({ path, message }) => `${path}: ${message}`);
    }
  })();
  expect(issues).toHaveLength(1);
  expect(issues[0]).toContain(expected);
});
