import { describe, expect, test } from "vitest";
import { denormalise, fitNormaliser, NORMALISATIONS, normalise } from "./normalise.ts";

const values = Float64Array.of(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8);

describe("normalised values", () => {
  test("have the mean, standard deviation, range or quartiles of their normalisation", () => {
    const of = (kind: (typeof NORMALISATIONS)[number]) => normalise(fitNormaliser(kind, values), values);
    const mean = (all: Float64Array) => all.reduce((a, b) => a + b) / all.length;
    expect(mean(of("mean").map(Math.abs))).toBeCloseTo(1, 12);
    expect(mean(of("standard"))).toBeCloseTo(0, 12);
    expect(mean(of("standard").map((value) => value ** 2))).toBeCloseTo(1, 12);
    expect([Math.min(...of("min-max")), Math.max(...of("min-max"))]).toEqual([0, 1]);
    // Sorted 1 1 2 3 3 4 5 5 5 6 8 9: median 4.5, quartiles 2.75 and 5.25.
    expect(fitNormaliser("robust", values)).toMatchObject({ shift: 4.5, scale: 2.5 });
    expect(of("log")[2]).toBe(Math.log(4));
    expect(of("log1p")[2]).toBe(Math.log1p(4));
  });

  test("of a seasonal difference are divided by its mean magnitude", () => {
    const fitted = fitNormaliser("seasonal-difference", values, { season: 4 });
    // Differences over four steps: 2 8 −2 5 0 −6 3 2.
    expect(fitted.scale).toBe(28 / 8);
    const differences = [2, 8, -2, 5, 0, -6, 3, 2].map((difference) => difference / 3.5);
    expect([...normalise(fitted, values).slice(4)]).toEqual(differences);
    expect([...normalise(fitted, values).slice(0, 4)]).toEqual(new Array(4).fill(Number.NaN));
    expect([...normalise(fitted, values.slice(4), values.slice(0, 4))]).toEqual(differences);
  });

  test("of a seasonal difference skip missing values, and start from the last value for an unobserved phase", () => {
    const fitted = { kind: "seasonal-difference", shift: 0, scale: 2, season: 3 } as const;
    const before = Float64Array.of(1, Number.NaN, 5, Number.NaN, Number.NaN, 8);
    const later = Float64Array.of(4, 10, Number.NaN, 6, 11, 9);
    // The last observed values of the phases are 1, none and 8; for the phase without a value, 8 is used.
    const differences = [4 - 1, 10 - 8, Number.NaN, 6 - 4, 11 - 10, 9 - 8].map((x) => x / 2);
    expect([...normalise(fitted, later, before)]).toEqual(differences);
    expect([...denormalise(fitted, Float64Array.from(differences), before)]).toEqual([...later]);
    const nothing = new Float64Array(3).fill(Number.NaN);
    expect([...denormalise(fitted, Float64Array.of(1, 2, 3, 1), nothing)]).toEqual([2, 4, 6, 4]);
  });

  test.each(NORMALISATIONS)("of %s are restored by denormalise, including missing values", (kind) => {
    const fitted = fitNormaliser(kind, values, { season: 3 });
    const later = Float64Array.of(7, 2.5, Number.NaN, 11, 0.1, 6);
    const back = denormalise(fitted, normalise(fitted, later, values), values);
    for (const [i, value] of later.entries()) {
      if (i === 2) expect(back[i]).toBeNaN();
      else expect(back[i]).toBeCloseTo(value, 12);
    }
  });

  test.each(NORMALISATIONS)(
    "of %s are finite and reversible for constant, single and missing values",
    (kind) => {
      for (const constant of [0.1, 1e9, 1e-9]) {
        const same = new Float64Array(10).fill(constant);
        const fitted = fitNormaliser(kind, same, { season: 2 });
        const there = normalise(fitted, same, same);
        expect(there.every(Number.isFinite)).toBe(true);
        for (const value of denormalise(fitted, there, same)) expect(value / constant).toBeCloseTo(1, 12);
      }
      // The mean of ten values of 0.1 is not exactly 0.1; this rounding error must not become the scale.
      const tenths = new Float64Array(10).fill(0.1);
      if (kind !== "mean") expect(fitNormaliser(kind, tenths).scale).toBe(1);
      expect(fitNormaliser(kind, new Float64Array(5).fill(Number.NaN))).toMatchObject({ shift: 0, scale: 1 });
      const zeros = new Float64Array(5);
      if (kind !== "log")
        expect([...normalise(fitNormaliser(kind, zeros), zeros, zeros)]).toEqual([...zeros]);
    },
  );
});

describe("is rejected:", () => {
  test("a season as long as the series", () => {
    expect(() => fitNormaliser("seasonal-difference", values, { season: 12 })).toThrow(
      "seasonal-difference: season must be at least 1 and shorter than the 12 values, got 12",
    );
  });

  test("no values before a seasonal difference", () => {
    const fitted = fitNormaliser("seasonal-difference", values, { season: 3 });
    expect(() => denormalise(fitted, values, values.slice(0, 2))).toThrow(
      "seasonal-difference: the inverse needs the 3 values before, got 2",
    );
  });

  test("logarithms of values without one", () => {
    expect(() => fitNormaliser("log", Float64Array.of(1, 0))).toThrow("log: values must be above 0, got 0");
    expect(() => normalise(fitNormaliser("log1p", values), Float64Array.of(-1))).toThrow(
      "log1p: values must be above -1, got -1",
    );
  });
});
