import { describe, expect, test } from "vitest";
import { randomConstraints, strings } from "../../test/support/random-constraints.ts";
import { RandomStream } from "../engine/index.ts";
import { UserError } from "../issues.ts";
import { isAccepted, nodeCount } from "./automaton.ts";
import { compileConstraints } from "./compile.ts";
import type { Constraint } from "./constraint.ts";
import { approximateCount, countStrings, listStrings, uniformSampler } from "./count.ts";
import { restrictAutomaton } from "./restrict.ts";
import type { SequenceSpace } from "./space.ts";
import { violationOf } from "./violation.ts";

const DNA: SequenceSpace = { tokens: ["A", "C", "G", "T"], length: { min: 6, max: 6 } };
const tokens = (text: string, { tokens }: SequenceSpace = DNA) =>
  [...text].map((letter) => tokens.indexOf(letter));

/** The tokens as letters, so that texts stand in the order of the tokens. */
const letters = (string: readonly number[]) => String.fromCharCode(...string.map((token) => 65 + token));

function problemOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return "";
}

describe("for random combinations of constraints", () => {
  const stream = RandomStream.fromSeed(1);
  const cases = Array.from({ length: 90 }, (_, seed) => randomConstraints(stream.split(`case ${seed}`)));

  test("the automaton accepts exactly the strings that meet every constraint", () => {
    let [feasible, infeasible] = [0, 0];
    for (const { space, constraints } of cases) {
      const legal = strings(space).filter((string) => violationOf(space, constraints, string) === null);
      if (legal.length === 0) {
        infeasible++;
        expect(problemOf(() => compileConstraints(space, constraints))).toContain(
          "must leave at least one string",
        );
        continue;
      }
      feasible++;
      const automaton = compileConstraints(space, constraints);
      expect(strings(space).filter((string) => isAccepted(automaton, string))).toEqual(legal);
      expect(countStrings(automaton)).toBe(BigInt(legal.length));
      expect(approximateCount(automaton)).toBe(legal.length);
      const listed = listStrings(automaton, legal.length) ?? [];
      expect(listed.map(letters)).toEqual(legal.map(letters).toSorted());
      expect(listStrings(automaton, legal.length - 1)).toBeNull();
    }
    // Both kinds occur often enough to mean something.
    expect(feasible).toBeGreaterThan(40);
    expect(infeasible).toBeGreaterThan(10);
  });

  test("every node has a continuation, and no two nodes of a layer have the same ones", () => {
    for (const { space, constraints } of cases) {
      if (problemOf(() => compileConstraints(space, constraints)) !== "") continue;
      const { next, accepts, layers, tokens: A } = compileConstraints(space, constraints);
      for (let t = 0; t + 1 < layers.length; t++) {
        const rows = new Set<string>();
        for (let node = layers[t]; node < layers[t + 1]; node++) {
          const row = next.subarray(node * A, (node + 1) * A);
          expect(accepts[node] === 1 || row.some((child) => child >= 0)).toBe(true);
          expect(
            row.every((child) => child === -1 || (child >= layers[t + 1] && child < layers[t + 2])),
          ).toBe(true);
          rows.add(`${row.join()} ${accepts[node]}`);
        }
        expect(rows.size).toBe(layers[t + 1] - layers[t]);
      }
    }
  });

  test("the named clashing constraints clash, and any of them can be left out", () => {
    for (const { space, constraints } of cases) {
      const named = constraints.map((constraint, i) => ({ ...constraint, name: `constraint ${i};` }));
      const message = problemOf(() => compileConstraints(space, named));
      if (message === "") continue;
      const clashing = named.filter(({ name }) => message.includes(`"${name}"`));
      const legalUnder = (some: readonly Constraint[]) =>
        strings(space).some((string) => violationOf(space, some, string) === null);
      expect(legalUnder(clashing)).toBe(false);
      for (const left of clashing) expect(legalUnder(clashing.filter((other) => other !== left))).toBe(true);
    }
  });

  test("a restricted automaton accepts exactly the strings that also match the template", () => {
    for (const { space, constraints, template } of cases) {
      if (problemOf(() => compileConstraints(space, constraints)) !== "") continue;
      const restricted = restrictAutomaton(compileConstraints(space, constraints), template);
      const legal = strings(space).filter(
        (string) => violationOf(space, [...constraints, template], string) === null,
      );
      if (restricted === null) expect(legal).toEqual([]);
      else expect(strings(space).filter((string) => isAccepted(restricted, string))).toEqual(legal);
    }
  });
});

test("the sampler draws every legal string equally often", () => {
  const space = { tokens: ["A", "B"], length: { min: 1, max: 4 } };
  const automaton = compileConstraints(space, [{ kind: "forbid", motif: [0, 0] }]);
  const sample = uniformSampler(automaton);
  const stream = RandomStream.fromSeed(3);
  const counts = new Map<string, number>();
  const draws = 18_000;
  for (let i = 0; i < draws; i++) {
    const string = sample(() => stream.uniform()).join("");
    counts.set(string, (counts.get(string) ?? 0) + 1);
  }
  // 2 + 3 + 5 + 8 strings without AA.
  expect(counts.size).toBe(18);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(6 * Math.sqrt(1000));
});

test("the sampler draws all strings if the largest lengths are impossible", () => {
  const space = { tokens: ["A", "B"], length: { min: 1, max: 4 } };
  const automaton = compileConstraints(space, [{ kind: "template", pattern: [null, null] }]);
  const sample = uniformSampler(automaton);
  const stream = RandomStream.fromSeed(6);
  const drawn = Array.from({ length: 200 }, () => sample(() => stream.uniform()).join(""));
  expect([...new Set(drawn)].sort()).toEqual(["00", "01", "10", "11"]);
});

test("the number of strings may be larger than float64 can hold, and they are still drawn", () => {
  const letters = Array.from({ length: 32 }, (_, i) => String.fromCharCode(65 + i));
  const space = { tokens: letters, length: { min: 0, max: 256 } };
  const automaton = compileConstraints(space, [{ kind: "homopolymer", longest: 2 }]);
  expect(countStrings(automaton)).toBeGreaterThan(32n ** 255n);
  expect(approximateCount(automaton)).toBe(Number.POSITIVE_INFINITY);
  const stream = RandomStream.fromSeed(4);
  const sample = uniformSampler(automaton);
  for (let i = 0; i < 20; i++) {
    const string = sample(() => stream.uniform());
    expect(string.length).toBeGreaterThan(240);
    expect(isAccepted(automaton, string)).toBe(true);
  }
});

test("nodes with the same continuations are merged", () => {
  const parent = tokens("ACGTAC");
  // Without any limit, one node per layer remains.
  expect(nodeCount(compileConstraints(DNA, [{ kind: "mutations", parent, most: 6 }]))).toBe(7);
  expect(nodeCount(compileConstraints(DNA, [{ kind: "homopolymer", longest: 6 }]))).toBe(7);
  expect(
    nodeCount(
      compileConstraints(DNA, [{ kind: "composition", tokens: [1, 2], min: 0, max: 1, unit: "fraction" }]),
    ),
  ).toBe(7);
  // At most one mutation: none or one so far, and at the end of the parent it no longer matters.
  expect(nodeCount(compileConstraints(DNA, [{ kind: "mutations", parent, most: 1 }]))).toBe(1 + 5 * 2 + 1);
});

describe("an error names", () => {
  test("the constraints that clash, and no others", () => {
    const constraints: Constraint[] = [
      { kind: "homopolymer", longest: 3 },
      { kind: "forbid", motif: tokens("GT") },
      { kind: "require", motif: tokens("GGT") },
    ];
    expect(problemOf(() => compileConstraints(DNA, constraints))).toBe(
      'constraints: must leave at least one string, but no string of 6 tokens meets "forbid GT" and "require GGT" together; loosen or remove one of them',
    );
  });

  test("a single constraint that no string meets", () => {
    expect(problemOf(() => compileConstraints(DNA, [{ kind: "require", motif: tokens("ACGTACG") }]))).toBe(
      'constraints: must leave at least one string, but no string of 6 tokens meets "require ACGTACG"; loosen or remove it',
    );
  });

  test("the constraint that multiplies the states", () => {
    const space = { tokens: ["A", "C", "G", "T"], length: { min: 100, max: 100 } };
    const constraints: Constraint[] = [
      { kind: "homopolymer", longest: 3 },
      { kind: "composition", tokens: [1, 2], min: 0.4, max: 0.6, unit: "fraction", name: "GC 40 to 60 %" },
    ];
    expect(nodeCount(compileConstraints(space, constraints))).toBeLessThan(100 * 60 * 13);
    expect(problemOf(() => compileConstraints(space, constraints, { mostStates: 10_000 }))).toMatch(
      /^constraints: need more than 10,000 states: after \d+ of 100 tokens, "GC 40 to 60 %" multiplies them by [\d.]+, "runs of at most 3" by [\d.]+; loosen or remove some of them, or use shorter strings$/,
    );
  });

  test("a constraint with many motifs once, beside the others that multiply the states", () => {
    const space = { tokens: ["A", "C", "G", "T"], length: { min: 100, max: 100 } };
    const [R, Y] = [
      [0, 2],
      [1, 3],
    ];
    const constraints: Constraint[] = [
      { kind: "forbid", motif: [R, Y, R, Y, R, Y, R, Y, R, Y], name: "forbid RYRYRYRYRY" },
      { kind: "forbid", motif: [R, R, Y, Y, [0]], name: "forbid RRYYA" },
      { kind: "composition", tokens: [1, 2], min: 0.4, max: 0.6, unit: "fraction", name: "gc 0.4 to 0.6" },
    ];
    const message = problemOf(() => compileConstraints(space, constraints, { mostStates: 5000 }));
    expect(message).toMatch(
      /^constraints: need more than 5,000 states: after \d+ of 100 tokens, "gc 0.4 to 0.6" multiplies them by [\d.]+, "forbid RYRYRYRYRY" by [\d.]+, "forbid RRYYA" by [\d.]+; loosen/,
    );
    const motifs: Constraint[] = Array.from({ length: 200 }, (_, i) => ({
      kind: "forbid",
      motif: [0, 3, 2, 3, ...Array.from({ length: 5 }, (_, j) => (i >> (2 * j)) % 4), 1, 1],
    }));
    expect(problemOf(() => compileConstraints(space, motifs, { mostStates: 5000 }))).toMatch(
      /, "forbid ATGTAAAAACC", (.*, ){3}"forbid ATGTACAAACC" and 195 more multiply them by [\d.]+; loosen or remove some of them/,
    );
  });

  test("states with very many transitions, before they fill the memory", () => {
    const tokens = Array.from({ length: 1000 }, (_, i) => `[${i}]`);
    const space = { tokens, length: { min: 400, max: 400 } };
    expect(problemOf(() => compileConstraints(space, [{ kind: "homopolymer", longest: 3 }]))).toMatch(
      /^constraints: need more than 64,000 states with 1,000 transitions each: after \d+ of 400 tokens, "runs of at most 3" multiplies them by 3000; loosen or remove it, or use shorter strings$/,
    );
  });

  test("long strings over very many tokens, where no constraint is to blame", () => {
    const tokens = Array.from({ length: 2000 }, (_, i) => `[${i}]`);
    const space = { tokens, length: { min: 1, max: 1000 } };
    expect(problemOf(() => compileConstraints(space, [], { mostStates: 900 }))).toBe(
      "constraints: need more than 900 states with 2,000 transitions each; use shorter strings",
    );
  });

  test("clashing constraints with codes within a second", () => {
    const space = { tokens: ["A", "C", "G", "T"], length: { min: 24, max: 24 } };
    const motif = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? [0, 2] : [1, 3]));
    const start = performance.now();
    const constraints: Constraint[] = [
      { kind: "forbid", motif, name: "forbid RYRYRYRYRY" },
      { kind: "composition", tokens: [1, 2], min: 0, max: 0.5, unit: "fraction", name: "gc 0 to 0.5" },
      { kind: "composition", tokens: [2], min: 13, max: 24, unit: "count", name: "composition G 13 to 24" },
    ];
    expect(problemOf(() => compileConstraints(space, constraints))).toContain(
      'no string of 24 tokens meets "gc 0 to 0.5" and "composition G 13 to 24" together',
    );
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test("some constraints that clash, if finding the fewest takes too long", () => {
    const words = Array.from({ length: 4 ** 6 }, (_, i) =>
      Array.from({ length: 6 }, (_, j) => Math.floor(i / 4 ** j) % 4),
    );
    const start = performance.now();
    const message = problemOf(() =>
      compileConstraints(
        DNA,
        words.map((motif): Constraint => ({ kind: "forbid", motif })),
      ),
    );
    expect(message).toMatch(
      /no string of 6 tokens meets "forbid AAAAAA", .* and \d+ more together; loosen or remove some of them$/,
    );
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  test("all mistakes at once", () => {
    const constraints: Constraint[] = [
      { kind: "template", pattern: [[0], null] },
      { kind: "forbid", motif: [] },
      { kind: "forbid", motif: [0, []] },
      { kind: "forbid", motif: [0, [1, 7]] },
      { kind: "require", motif: [4] },
      { kind: "pairs", allowed: [[true]] },
      { kind: "composition", tokens: [1], min: 0.6, max: 0.4, unit: "fraction" },
      { kind: "homopolymer", longest: 0 },
      { kind: "mutations", parent: [0, 1], most: -1 },
    ];
    expect(problemOf(() => compileConstraints(DNA, constraints)).split("\n  ")).toEqual([
      "the input has 10 problems:",
      "constraints[0].pattern: must have 6 positions, got 2",
      "constraints[1].motif: must be tokens by their index from 0 to 3, at least one, got []",
      "constraints[2].motif: must be tokens by their index from 0 to 3, got [] at position 2",
      "constraints[3].motif: must be tokens by their index from 0 to 3, at least one, got [0,1,7]",
      "constraints[4].motif: must be tokens by their index from 0 to 3, at least one, got [4]",
      "constraints[5].allowed: must have 4 rows of 4 values, one for each token, got 1 rows",
      "constraints[6].min: must be fractions with 0 ≤ min ≤ max ≤ 1, got min 0.6 and max 0.4",
      "constraints[7].longest: must be a positive whole number, got 0",
      "constraints[8].parent: must have 6 tokens, got 2",
      "constraints[8].most: must be a whole number of at least 0, got -1",
    ]);
  });

  test.each([
    [{ tokens: [], length: DNA.length }, "tokens: must be 1 to 20000 tokens, got 0"],
    [
      { tokens: ["A", "C", "A"], length: DNA.length },
      'tokens: must be different from each other, got "A" twice',
    ],
    [
      { tokens: ["A", " "], length: DNA.length },
      'tokens: must be one or more visible characters without spaces each, got " "',
    ],
    [
      { tokens: ["A", "AB", "BA"], length: DNA.length },
      'tokens: must give texts that can be read in one way only, but "ABA" can be read in two ways; rename a token',
    ],
    [
      { tokens: ["A"], length: { min: 3, max: 2 } },
      "length: must be whole numbers with 0 ≤ min ≤ max and max of at least 1, got min 3 and max 2",
    ],
  ])("a mistake in the space %j", (space, message) => {
    expect(problemOf(() => compileConstraints(space, []))).toBe(message);
  });
});

test("a forbidden motif with several tokens at a place is like all motifs that it stands for", () => {
  const stream = RandomStream.fromSeed(5);
  const space = { tokens: ["A", "B", "C"], length: { min: 3, max: 7 } };
  const sets = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]];
  for (let trial = 0; trial < 20; trial++) {
    // The last motif has more places than a word of 32 bits.
    const motifs = [3, 5, 40].map((length) =>
      Array.from({ length }, () => sets[stream.integer(sets.length)]),
    );
    const forbid = (motif: readonly (number | readonly number[])[]): Constraint => ({
      kind: "forbid",
      motif,
    });
    const spelt = motifs
      .slice(0, 2)
      .flatMap((motif) =>
        motif.reduce<number[][]>((starts, set) => starts.flatMap((s) => set.map((t) => [...s, t])), [[]]),
      );
    const count = (constraints: readonly Constraint[]) =>
      problemOf(() => compileConstraints(space, constraints)) === ""
        ? compileConstraints(space, constraints)
        : null;
    expect(count([motifs[2], ...motifs.slice(0, 2)].map(forbid))).toEqual(count(spelt.map(forbid)));
  }
});

test("a broken constraint is named with its place", () => {
  const pairs = [0, 1, 2, 3].map((a) => [0, 1, 2, 3].map((b) => !(a === 0 && b === 3)));
  const constraints: Constraint[] = [
    { kind: "template", pattern: [null, null, [2, 3], null, null, null] },
    { kind: "forbid", motif: tokens("CCC") },
    { kind: "pairs", allowed: pairs, name: "no AT" },
    { kind: "homopolymer", longest: 3 },
    { kind: "composition", tokens: [1, 2], min: 2, max: 4, unit: "count" },
    { kind: "mutations", parent: tokens("GGGGCA"), most: 5 },
    { kind: "require", motif: tokens("CA") },
  ];
  const messageOf = (text: string) => violationOf(DNA, constraints, tokens(text))?.message;
  expect(messageOf("GGGG")).toBe("has 4 tokens instead of 6 tokens");
  expect(messageOf("ACATTT")).toBe("has A instead of G or T at position 3 (template ??[GT]???)");
  expect(messageOf("AAGCCC")).toBe("has a forbidden motif at position 4 (forbid CCC)");
  expect(messageOf("AAGATC")).toBe("has A before T at position 4, which is not an allowed pair (no AT)");
  expect(messageOf("GTTTTA")).toBe("has a run of more than 3 T at position 2 (runs of at most 3)");
  expect(messageOf("AAGTTA")).toBe("has 1 tokens that are C or G instead of 2 to 4 (2 to 4 (count) of CG)");
  expect(messageOf("CTTAAC")).toBe("has 6 mutations instead of at most 5 (at most 5 mutations from GGGGCA)");
  expect(messageOf("AAGGTA")).toBe("lacks a required motif (require CA)");
  expect(violationOf(DNA, constraints, tokens("AAGGCA"))).toBeNull();
});
