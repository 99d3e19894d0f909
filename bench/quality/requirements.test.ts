import { describe, expect, test } from "vitest";
import { checkRequirements, type Requirement, requirementText } from "./requirements.ts";
import { runOf, timingResult, trainingResult } from "./test-support.ts";

const nearLimit: Requirement = { measure: "tv", from: "limit", atMost: 0.04 };

test("the text of a requirement is a formula", () => {
  expect(
    [
      nearLimit,
      { measure: "kl", atMost: 0.03 } as const,
      { measure: "tv", from: "prediction", atMost: 0.02 } as const,
      { measure: "wallSeconds", atMost: 60 * 1.02 } as const,
    ].map(requirementText),
  ).toEqual(["TV <= limit + 0.04", "KL <= 0.03", "|TV - prediction| <= 0.02", "wall s <= 61.2"]);
});

describe("a requirement", () => {
  test("is met if every seed meets it, and reports the worst seed", () => {
    const runs = [0.13, 0.135, 0.12].map((tv, seed) => runOf(seed, trainingResult({ tv })));
    const [finding] = checkRequirements([nearLimit], runs);
    expect(finding).toMatchObject({ required: "TV <= limit + 0.04", seed: 1, met: true });
    expect(finding.worst).toBeCloseTo(0.035, 12);
  });

  test("is not met if one seed misses it", () => {
    const runs = [0.12, 0.12, 0.141].map((tv, seed) => runOf(seed, trainingResult({ tv })));
    expect(checkRequirements([nearLimit], runs)).toMatchObject([{ seed: 2, met: false }]);
  });

  test("is met by results below the limit", () => {
    expect(checkRequirements([nearLimit], [runOf(0, trainingResult({ tv: 0.09 }))])).toMatchObject([
      { met: true },
    ]);
  });

  test("about a prediction bounds the distance on both sides", () => {
    const requirement: Requirement = { measure: "tv", from: "prediction", atMost: 0.02 };
    const met = (tv: number) =>
      checkRequirements(
        [requirement],
        [runOf(0, trainingResult({ tv }, { prediction: { tv: 0.2, kl: 0.1 } }))],
      )[0].met;
    expect([0.17, 0.185, 0.215, 0.23].map(met)).toEqual([false, true, true, false]);
  });

  test("is not met by missing or NaN values", () => {
    const required: Requirement[] = [nearLimit, { measure: "dynamicsKl", atMost: 0.01 }];
    const runs = [
      runOf(0, trainingResult({ tv: 0.11 })),
      runOf(1, trainingResult({ tv: Number.NaN, dynamicsKl: null })),
      runOf(2, trainingResult({ tv: 0.12 })),
    ];
    expect(checkRequirements(required, runs)).toMatchObject([
      { worst: Number.NaN, seed: 1, met: false },
      { worst: Number.NaN, seed: 1, met: false },
    ]);
  });

  test("bounds the time of a run and of a timing", () => {
    const late = runOf(0, trainingResult({}, { wallSeconds: 62 }));
    expect(checkRequirements([{ measure: "wallSeconds", atMost: 61.2 }], [late])).toMatchObject([
      { worst: 62, met: false },
    ]);
    expect(checkRequirements([{ measure: "seconds", atMost: 1 }], [runOf(null, timingResult(0.25))])).toEqual(
      [{ required: "s <= 1", worst: 0.25, seed: null, met: true }],
    );
  });
});
