// The sections about the rounds of a design: rows and numbers of tables, titles of figures, and what is left out.

import { describe, expect, test } from "vitest";
import { attributes, marks } from "../../test/support/svg.ts";
import { intervalChart } from "./interval-chart.ts";
import { htmlPage, plainFigure } from "./page.ts";
import { type ReportedRound, type RoundsReport, roundsSections } from "./rounds-report.ts";

const uniform: ReportedRound = {
  ...{ tried: [], proxy: null, proxyCalls: 0, motifs: null },
  proposals: ["AA", "AC", "CC"].map((string) => ({ string, prediction: null })),
};
const tried = (name: string, error: number, isBelieved: boolean) => ({
  ...{ name, error, explained: 1 - error, isBelieved },
});
const learned: ReportedRound = {
  proposals: [
    { string: "CA", prediction: { mean: 2, low: 1, high: 3 } },
    { string: "CG", prediction: { mean: 4, low: 3.5, high: 5 } },
    { string: "GG", prediction: { mean: 1, low: 0, high: 2 } },
  ],
  tried: [tried("linear", 0.6, true), tried("motifs", 0.5, true), tried("mlp", 1.2, false)],
  ...{ proxy: "motifs", proxyCalls: 1234 },
  motifs: [
    { motifs: [{ offsets: [0, 1], letters: [1, 0] }] },
    { motifs: [{ offsets: [0, 1], letters: [1, 0] }] },
  ],
};
const scoredOf = (scores: Readonly<Record<string, number>>) =>
  Object.entries(scores).map(([text, score]) => ({
    ...{ text, score },
    letters: [...text].map((letter) => "ACG".indexOf(letter)),
  }));
const report: RoundsReport = {
  tokens: ["A", "C", "G"],
  rounds: [uniform, learned],
  scored: scoredOf({ AA: 0, AC: 1, CC: 2, CA: 3, CG: 3 }),
};
const sections = roundsSections(report);
const section = (heading: string) => sections.find((each) => each.heading === heading);

describe("the section of rounds", () => {
  test("has a row for each round with its proxies, intervals, proxy calls and scores", () => {
    expect(section("Rounds")?.tables?.[0].rows).toEqual([
      { name: "1", cells: [3, 3, "none: uniformly drawn", "", "", "", 0, 2, 1] },
      { name: "2", cells: [3, 2, "motifs, linear", "50 %, 40 %", "mlp 0 %", "1 of 2", 1234, 3, 3] },
    ]);
  });

  test("has the lowest score of each round if low scores are good", () => {
    const [{ tables: [table] = [] }] = roundsSections({ ...report, direction: "minimise" }).slice(1);
    expect(table.rows.map(({ cells }) => cells.at(-2))).toEqual([0, 3]);
  });

  test("says how many scores the intervals held", () => {
    expect(section("Rounds")?.text).toContain("The 80 % intervals held 1 of 2 scores, which is 50 %.");
    expect(roundsSections({ ...report, rounds: [uniform] })[0].text).toBe(
      "No string was predicted before it was scored.",
    );
  });

  test("is missing without rounds", () => {
    expect(roundsSections({ ...report, rounds: [] })).toEqual([]);
  });
});

describe("the plate to order next", () => {
  test("has the strings of the last round without a score, with their predictions", () => {
    expect(section("The plate to order next")?.tables?.[0].rows).toEqual([{ name: "GG", cells: [1, 0, 2] }]);
  });

  test("is missing if all strings have a score", () => {
    const scored = [...report.scored, ...scoredOf({ GG: 1 })];
    expect(roundsSections({ ...report, scored }).map(({ heading }) => heading)).toEqual([
      "Rounds",
      "What was learned",
    ]);
  });
});

describe("what was learned", () => {
  test("has the motifs of the members, with the mean scores of strings with and without them", () => {
    expect(section("What was learned")?.tables).toEqual([
      {
        columns: [
          "motif",
          "letters",
          "members",
          "strings that have it",
          "their mean score",
          "mean of the others",
        ],
        rows: [{ name: "1", cells: ["CA", "2 of 2", 1, 3, 1.5] }],
      },
    ]);
  });

  test("writes a dot for each letter between those of a motif", () => {
    const motifs = [{ motifs: [{ offsets: [0, 3], letters: [0, 2] }] }];
    const [, , { tables: [table] = [] }] = roundsSections({
      ...report,
      rounds: [uniform, { ...learned, motifs }],
    });
    expect(table.rows[0].cells.slice(0, 2)).toEqual(["A··G", "1 of 1"]);
  });

  test("has no motifs that are not believed, and no maps of few strings", () => {
    const rounds = [
      uniform,
      { ...learned, tried: [tried("motifs", 0.5, false), tried("linear", 0.4, true)] },
    ];
    expect(roundsSections({ ...report, rounds }).map(({ heading }) => heading)).toEqual([
      "The plate to order next",
      "Rounds",
    ]);
  });

  test("has maps of letters and pairs from sixteen strings on, with the strongest pairs", () => {
    const all = Array.from({ length: 16 }, (_, i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1, (i >> 3) & 1]);
    const scored = all.map((letters) => ({
      ...{ letters, text: letters.map((letter) => "AC"[letter]).join("") },
      score: letters[0] === letters[3] ? 1 : 0,
    }));
    const found = roundsSections({ tokens: ["A", "C"], rounds: [uniform], scored }).at(-1);
    expect(found?.figures?.map((svg) => /aria-label="([^"]+)"/.exec(svg)?.[1])).toEqual([
      "Mean score by letter and position",
      "Pairs of positions that matter together",
    ]);
    expect(found?.tables?.[0].rows[0].name).toBe("1 and 4");
    expect(found?.tables?.[0].rows[0].cells[0]).toBeCloseTo(1, 12);
    expect(found?.text).toContain("describe the 16 scored strings and not the proxy");
  });
});

describe("the chart of predictions", () => {
  const predictions = [
    { mean: 1, low: 0, high: 2, score: 1 },
    { mean: 2, low: 1, high: 3, score: 4 },
  ];
  const svg = intervalChart({ title: "x", predictions });

  test("has a line for each interval, and a colour for scores outside", () => {
    expect(marks(svg, "link")[0].match(/<path/g)).toHaveLength(2);
    const dots = marks(svg, "dot").at(-1) as string;
    const [inside, outside] = attributes(dots, "cy");
    // Higher scores stand higher.
    expect(inside).toBeGreaterThan(outside);
    expect(new Set(dots.match(/fill="#\w+"/g)).size).toBe(2);
  });

  test("leaves out predictions that are not finite, and says so", () => {
    const more = [...predictions, { mean: 1, low: Number.NEGATIVE_INFINITY, high: 2, score: 1 }];
    expect(intervalChart({ title: "x", predictions: more })).toContain("1 of 3 predictions");
    expect(intervalChart({ title: "x", predictions: [] })).toContain("no data");
  });
});

test("texts are escaped, and figures have only shapes", () => {
  const strange = roundsSections({ ...report, tokens: ["<b>", "&", "G"] });
  expect(htmlPage({ title: "", intro: "", sections: strange })).not.toContain("<b>");
  for (const { figures = [] } of sections) for (const svg of figures) expect(plainFigure(svg)).toBe(true);
});
