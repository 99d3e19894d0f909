// Tests of the charts and the page of a design: frequencies and information, heights of letters, cells, and texts.

import { describe, expect, test } from "vitest";
import { compositionChart } from "./composition-chart.ts";
import { circlesChart, scoreDistanceChart } from "./design-charts.ts";
import { type DesignReport, designReport } from "./design-report.ts";
import { letterColours } from "./letter-colours.ts";
import { letterFrequencies, positionTicks } from "./letter-frequencies.ts";
import { htmlPage } from "./page.ts";
import { sequenceLogo } from "./sequence-logo.ts";

const DNA = [..."ACGT"];

describe("letter frequencies", () => {
  test("are fractions, with the information of each position in bits", () => {
    const positions = letterFrequencies(
      [
        [0, 0, 0],
        [0, 1, 1],
        [0, 0, 2],
        [0, 1, 3],
      ],
      4,
    );
    expect(positions.map(({ bits }) => bits)).toEqual([2, 1, 0]);
    expect([...positions[1].fractions]).toEqual([0.5, 0.5, 0, 0]);
  });

  test("of shorter strings count only the strings that reach a position", () => {
    const [first, second] = letterFrequencies([[0, 1], [1]], 4);
    expect([first.reached, second.reached]).toEqual([1, 0.5]);
    expect([...second.fractions]).toEqual([0, 1, 0, 0]);
    expect(letterFrequencies([], 4)).toEqual([]);
  });

  test("have ticks at the first position and at round ones", () => {
    const values = (from: number, to: number, span?: number) =>
      positionTicks(from, to, span).map(({ value }) => value);
    expect(values(1, 5)).toEqual([1, 2, 3, 4, 5]);
    expect(values(1, 60)).toEqual([1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]);
    expect(values(101, 112, 50)).toEqual([105, 110]);
  });
});

describe("a sequence logo", () => {
  /** Letter, x, base line and stretch of every letter in a logo. */
  const lettersOf = (svg: string) =>
    [...svg.matchAll(/translate\(([\d.]+),([\d.]+)\) scale\(1,([\d.]+)\)"[^>]*>([^<]+)</g)].map(
      ([, x, y, stretch, letter]) => ({ letter, x: Number(x), y: Number(y), stretch: Number(stretch) }),
    );

  test("stacks letters by frequency, with heights in proportion to fraction times information", () => {
    const strings = [
      [0, 2],
      [0, 2],
      [0, 2],
      [1, 2],
    ];
    const letters = lettersOf(sequenceLogo({ title: "x", tokens: DNA, strings }));
    expect(letters.map(({ letter }) => letter)).toEqual(["C", "A", "G"]);
    const [c, a, g] = letters;
    const bits = 2 + 0.75 * Math.log2(0.75) + 0.25 * Math.log2(0.25);
    expect(c.x).toBe(a.x);
    expect(a.stretch / c.stretch).toBeCloseTo(3, 2);
    expect((a.stretch + c.stretch) / g.stretch).toBeCloseTo(bits / 2, 2);
    // A stands on top of C, whose height is its stretch times the height of a capital letter.
    expect(c.y - a.y).toBeCloseTo(7.2 * c.stretch, 1);
    expect(g.y).toBe(c.y);
  });

  test("has rows of fifty positions, and says if strings end early or are too long", () => {
    const long = Array.from({ length: 450 }, () => 1);
    const svg = sequenceLogo({ title: "x", tokens: DNA, strings: [long, [1]] });
    expect(new Set(lettersOf(svg).map(({ y }) => y)).size).toBe(8);
    expect(svg).toContain("The first 400 of 450 positions are shown.");
    expect(svg).toContain("Where some strings have ended");
  });

  test("escapes tokens, and shows that there is no data", () => {
    expect(sequenceLogo({ title: "x", tokens: ["<b>", "&"], strings: [[0, 1]] })).toMatch(
      />&lt;b&gt;<.*>&amp;</,
    );
    expect(sequenceLogo({ title: "x", tokens: DNA, strings: [] })).toContain("no data");
  });
});

test("letters of nucleotides and amino acids have their usual colours, others those of series", () => {
  expect(letterColours([..."ACGU"])).toEqual(letterColours(DNA));
  const acids = letterColours([..."ACDEFGHIKLMNPQRSTVWY"]);
  expect(acids[2]).toBe(acids[3]); // D and E are acidic
  expect(acids[2]).not.toBe(acids[8]); // K is basic
  expect(new Set(letterColours(["D", "E", "K"])).size).toBe(3);
});

test("a composition chart has a cell for each letter that occurs at a position, and for strings that have ended", () => {
  const svg = compositionChart({ title: "x", tokens: DNA, strings: [[0, 1], [0, 2], [0]] });
  const colours = [...svg.matchAll(/<rect [^>]*fill="(#[0-9a-f]{6})"/g)].map(([, colour]) => colour);
  // The ground; four swatches of the legend; A at the first position; C, G and the end at the second.
  expect(colours).toHaveLength(1 + 4 + 4);
  const [full, ...thirds] = colours.slice(5);
  expect(full).toBe(colours[4]);
  expect(new Set(thirds).size).toBe(1);
  expect(svg).toContain("(ended)");
});

test("charts of scores and circles name their distance, radius and number", () => {
  const items = [
    { score: 1, distance: 2, isCentre: true },
    { score: 0.5, distance: 2, isCentre: false },
  ];
  const scatter = scoreDistanceChart({ items, measure: "edit" });
  expect(scatter).toContain("edit distance from the nearest known string");
  expect(scatter).toContain("best of its circle");
  const circles = circlesChart({
    curves: [
      {
        name: "a",
        points: [
          { x: 0, y: 0 },
          { x: 9, y: 3 },
        ],
      },
    ],
    measure: { distance: "hamming", top: 50, radius: 4 },
  });
  expect(circles).toContain("circles(50, 4)");
  expect(circles).toContain("Of the 50 best strings so far, the number that are pairwise more than 4 apart");
});

describe("the page of a design", () => {
  const report: DesignReport = {
    ...{ name: "gatc", intro: "DNA of four letters.", tokens: DNA, calls: 20, budget: 100 },
    measure: { distance: "hamming", top: 100, radius: 2 },
    progress: [
      { calls: 10, best: 0.5, topMean: 0.25, circles: 1 },
      { calls: 20, best: 1, topMean: 0.5, circles: 2 },
    ],
    candidates: [
      {
        ...{ text: "ACGT", letters: [0, 1, 2, 3], score: 0.5, circle: 1 },
        distanceToKnown: 3,
      },
      {
        ...{ text: "<i>", letters: [2, 0, 3, 1], score: 1, circle: 0 },
        distanceToKnown: 4,
      },
    ],
    settings: [["radius", 2]],
  };
  const titles = (of: DesignReport) =>
    designReport(of).sections.flatMap(({ figures = [] }) =>
      figures.map((svg) => /aria-label="([^"]+)"/.exec(svg)?.[1]),
    );

  test("says what was found with how many calls, and how", () => {
    const page = designReport(report);
    expect(page.intro).toBe(
      "DNA of four letters.\n\n2 candidates in 2 circles (Hamming distance greater than 2), from 20 oracle calls of 100 allowed.",
    );
    expect(page.sections[1].tables).toEqual([
      { columns: ["setting", "value"], rows: [{ name: "radius", cells: ["2"] }] },
    ]);
  });

  test("draws distances, scores, circles, the logo and the composition", () => {
    expect(titles(report)).toEqual([
      "Score against distance from known strings",
      "Scores against oracle calls",
      "Circles against oracle calls",
      "Sequence logo of the candidates",
      "Composition by position",
    ]);
    const html = htmlPage(designReport(report));
    expect(html).not.toContain("<i>");
    expect(htmlPage(designReport(report))).toBe(html);
  });

  test("of a design without candidates, known strings or budget says so", () => {
    const empty = designReport({ ...report, candidates: [], progress: [], settings: [], budget: null });
    expect(empty.sections).toEqual([{ heading: "Candidates", text: "There are no candidates yet." }]);
    expect(empty.intro).toContain("from 20 oracle calls.");
    const unknown = report.candidates.map((candidate) => ({ ...candidate, distanceToKnown: null }));
    const headings = designReport({ ...report, candidates: unknown }).sections.map(({ heading }) => heading);
    expect(headings).not.toContain("Candidates");
    expect(titles({ ...report, candidates: unknown })).not.toContain(
      "Score against distance from known strings",
    );
  });
});
