import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import type { OwnData } from "./own-data.ts";
import { problemOf } from "./problem.ts";
import { DEFAULT_SETTINGS, type PlaygroundSettings, settingsFor } from "./settings.ts";

const built = (settings: Partial<PlaygroundSettings>, data?: OwnData) =>
  problemOf({ ...DEFAULT_SETTINGS, ...settings }, data);

describe("the target of", () => {
  test("a formula is the formula at each cell, normalised", () => {
    const { known } = built({ problem: "formula", reward: "1 + 3 * (i1 == 0 and i2 == 3)", side: 4 });
    expect(known.target[12]).toBeCloseTo(4 / 19, 12);
    expect(known.target[3]).toBeCloseTo(1 / 19, 12);
  });

  test("a picture is its brightness, with the bottom of the picture at the start of axis 2", () => {
    const brightness = Float64Array.of(1, 0.25, 0.25, 0.25, ...new Array<number>(12).fill(0.25));
    const picture = {
      ...{ name: "mine.png", png: new Uint8Array() },
      picture: { width: 4, height: 4, brightness },
    };
    const { known } = built({ problem: "picture", side: 4 }, { picture });
    expect(known.target[12]).toBeCloseTo(1 / 4.75, 12);
    expect(known.target[0]).toBeCloseTo(0.25 / 4.75, 12);
  });

  test("a table has its scores to the power of the exponent", () => {
    const table = { text: "AA,1\nAB,2\nBA,3\nBB,0\n", name: "mine" };
    const { known, task } = built({ problem: "table", rewardExponent: 2 }, { table });
    expect([0, 1, 2].map((i) => known.reward[i])).toEqual([1, 4, 9]);
    expect(task.label).toBe("4 of 4 strings have scores from mine");
  });

  test("every problem as it starts can be trained on", () => {
    for (const name of ["hypergrid", "formula", "picture", "tfbind8", "table"] as const) {
      const { known, limit } = problemOf(settingsFor(name));
      expect(known.target.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
      expect(limit.metrics.tv).toBeLessThan(0.05);
    }
  });
});

const table = (text: string): [Partial<PlaygroundSettings>, OwnData] => [
  { problem: "table" },
  { table: { text, name: "mine" } },
];
const formula = (reward: string): [Partial<PlaygroundSettings>] => [{ problem: "formula", reward, side: 4 }];

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("what is wrong is one sentence:", () => {
  test.each([
    ["a repeated string", table("AA,1\nAA,2\n"), 'mine, line 2: "AA" is also in line 1; keep one of the two'],
    ["a missing letter", table("AAA,1\nAB,2\nBBB,1\n"), 'mine, line 2: "AB" has 2 letters instead of 3'],
    ["NaN", table("AA,1\nAB,NaN\n"), 'the score of "AB" must be a number of at least 0, got "NaN"'],
    ["a formula in a cell", table("AA,=1+1\n"), "which is a formula of a spreadsheet"],
    ["no positive score", table("AA,0\nAB,0\n"), "at least one score must be positive, got 0 for all"],
    [
      "too many strings",
      table(`${"ACGT".repeat(3)},1\n`),
      "must give at most 131072 states in a page, got 5592405",
    ],
    ["a division by zero", formula("1 / x1"), "must be finite and not negative in every cell, got Infinity"],
    ["a formula nested a thousand deep", formula(`${"(".repeat(1000)}x1${")".repeat(1000)}`), "500"],
    ["a formula nested a hundred deep", formula(`${"(".repeat(100)}x1${")".repeat(100)}`), "50"],
    ["code", formula("fetch('//example.org')"), "at character 7"],
  ] as const)("%s", (_, [settings, data], message) => {
    const error = thrownBy(() => built(settings, data as OwnData));
    expect(error).toBeInstanceOf(UserError);
    const { issues } = error as UserError;
    expect(issues).toHaveLength(1);
    expect(issues[0].message).toContain(message);
  });
});

test("exploration and the state table reach the settings of training", () => {
  const { training } = built({ exploration: 0.25, stateTable: false, width: 16, layers: 3 });
  expect(training).toMatchObject({
    uniformShare: { from: 0.25, to: 0, until: 0.6 },
    stateTableRows: 0,
    hidden: [16, 16, 16],
  });
  const expected = built({ objective: "eflow", exploration: 0.25 });
  expect(expected.training).toMatchObject({ uniformShare: 0, epsilon: { from: 0.25, to: 0, until: 0.6 } });
  expect(built({ exploration: 0 }).training).toMatchObject({ uniformShare: 0 });
});
