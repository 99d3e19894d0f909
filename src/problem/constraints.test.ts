import { describe, expect, test } from "vitest";
import type { Constraint } from "../constraints/constraint.ts";
import { violationOf } from "../constraints/violation.ts";
import { UserError } from "../issues.ts";
import { parseProblemText } from "./read-problem.ts";

async function problemOf(constraints: string, head = "alphabet: DNA\nlength: 6") {
  const { problem } = await parseProblemText(`${head}\nconstraints: ${constraints}\n`);
  return problem;
}

async function constraintsOf(constraints: string, head?: string): Promise<readonly Constraint[]> {
  return (await problemOf(constraints, head)).constraints;
}

/** All legal strings, by trying every string. */
async function legalStrings(constraints: string, length: number): Promise<string[]> {
  const { space, constraints: compiled } = await problemOf(constraints, `alphabet: DNA\nlength: ${length}`);
  const strings = Array.from({ length: 4 ** length }, (_, index) =>
    Array.from({ length }, (_, position) => Math.floor(index / 4 ** position) % 4),
  );
  return strings
    .filter((string) => violationOf(space, compiled, string) === null)
    .map((string) => string.map((token) => space.tokens[token]).join(""))
    .sort();
}

const [A, C, G, T] = [0, 1, 2, 3];

describe("templates", () => {
  test.each([
    ["AC??GT", [[A], [C], null, null, [G], [T]]],
    ["AC*GT", [[A], [C], null, null, [G], [T]]],
    ["*A", [null, null, null, null, null, [A]]],
    ["ACRNYu", [[A], [C], [A, G], null, [C, T], [T]]],
    ["[A, '?', [G, C], AG, '?', '?']".replace("AG", "R"), [[A], null, [G, C], [A, G], null, null]],
  ])("%s", async (template, pattern) => {
    expect(
      await constraintsOf(
        `{ template: ${JSON.stringify(template).startsWith('"[') ? template : `"${template}"`} }`,
      ),
    ).toEqual([expect.objectContaining({ kind: "template", pattern })]);
  });

  test("that end with * leave the rest open", async () => {
    expect(await constraintsOf('{ template: "AC*" }', "alphabet: DNA\nlength: { min: 3, max: 9 }")).toEqual([
      { kind: "template", pattern: [[A], [C]], open: true, name: "template AC*" },
    ]);
  });

  test("of tokens with several letters", async () => {
    expect(await constraintsOf('{ template: "[C]?[O][C]" }', "alphabet: ['[C]', '[O]']\nlength: 4")).toEqual([
      expect.objectContaining({ pattern: [[0], null, [1], [0]] }),
    ]);
  });
});

test("IUPAC codes in forbidden motifs stand for all their letters", async () => {
  expect(await constraintsOf("{ forbid: [GAWTC] }")).toEqual([
    { kind: "forbid", motif: [G, A, [A, T], T, C], name: "forbid GAWTC" },
  ]);
  expect(await legalStrings("{ forbid: [GAWTC] }", 5)).toHaveLength(1022);
  // Of 256 strings, 3 · 16 have GA at one of three places, and one of them, GAGA, is counted twice.
  expect(await legalStrings("{ forbid: [GA] }", 4)).toHaveLength(209);
  expect(await legalStrings("{ forbid: [NNNN] }", 4)).toEqual([]);
});

test("pairs restrict only the tokens that are listed", async () => {
  expect(await constraintsOf("{ pairs: { C: AT, g: [C] } }")).toEqual([
    {
      kind: "pairs",
      name: "pairs",
      allowed: [
        [true, true, true, true],
        [true, false, false, true],
        [false, true, false, false],
        [true, true, true, true],
      ],
    },
  ]);
});

test("gc, homopolymer and composition", async () => {
  expect(
    await constraintsOf(
      "{ gc: { min: 0.4 }, homopolymer: 3, composition: [{ tokens: AT, max: 2 }, { tokens: [G], min: 0.1, unit: fraction }] }",
    ),
  ).toEqual([
    { kind: "composition", tokens: [G, C], min: 0.4, max: 1, unit: "fraction", name: "gc 0.4 to 1" },
    { kind: "homopolymer", longest: 3, name: "homopolymer 3" },
    { kind: "composition", tokens: [A, T], min: 0, max: 2, unit: "count", name: "composition AT 0 to 2" },
    { kind: "composition", tokens: [G], min: 0.1, max: 1, unit: "fraction", name: "composition G 0.1 to 1" },
  ]);
});

test("mutations from a parent", async () => {
  expect(await constraintsOf("{ mutations: { parent: ACGTAC, most: 2 } }")).toEqual([
    { kind: "mutations", parent: [A, C, G, T, A, C], most: 2, name: "at most 2 mutations" },
  ]);
  // One string without a mutation, and 3 · 3 with one.
  expect(await legalStrings("{ mutations: { parent: ACG, most: 1 } }", 3)).toHaveLength(10);
});

describe("constraints are refused:", () => {
  const letters =
    /must consist of tokens of the alphabet: "\w+" has "\w" at position \d, where a token must start/;
  test.each([
    ["{ template: ACXXGT }", /^constraints.template: must consist of tokens/],
    [
      "{ template: AC? }",
      /^constraints.template: must have 6 tokens, got 3; end it with \* to leave the rest open/,
    ],
    ["{ template: AC?????GT }", /^constraints.template: must have 6 tokens, got 9 \(line 3\)/],
    ['{ template: "ACGTACGT*" }', /^constraints.template: must have at most 6 positions, got 8/],
    ['{ template: "*A*" }', /^constraints.template: must have at most one \*, got 2/],
    [
      "{ template: [A, AG] }",
      /^constraints.template\[1\]: must be one token, or a list such as \[A, G\], got "AG"/,
    ],
    ["{ forbid: [GATC, GAXC] }", /^constraints.forbid\[1\]: must consist/],
    ["{ forbid: GATC }", /^constraints.forbid: must be a list of motifs, got "GATC"/],
    ["{ forbid: [] }", /^constraints.forbid: must be a list of motifs, got \[\]/],
    ["{ forbid: [''] }", /^constraints.forbid\[0\]: must be a string over the alphabet, got ""/],
    [
      "{ forbid: [ACGTACG] }",
      /^constraints.forbid\[0\]: must have at most as many tokens as a string, 6, got 7/,
    ],
    ["{ require: [GANC] }", letters],
    ["{ pairs: { X: A } }", /^constraints.pairs.X: must consist/],
    ["{ pairs: { AC: A } }", /^constraints.pairs.AC: must be one token of the alphabet, got "AC"/],
    ["{ pairs: { A: C, a: G } }", /^constraints.pairs.a: must be the only row of its token, got two/],
    ["{ pairs: { A: CC } }", /^constraints.pairs.A: must have each token once, got "CC"/],
    [
      "{ gc: { min: 0.6, max: 0.4 } }",
      /^constraints.gc: must be a min of at most max, got min 0.6 and max 0.4/,
    ],
    ["{ gc: { max: 60 } }", /^constraints.gc.max: must be a number in \[0, 1\], got 60/],
    ["{ homopolymer: 0 }", /^constraints.homopolymer: must be a whole number from 1 to 10000, got 0/],
    ["{ composition: [{ tokens: A }] }", /^constraints.composition\[0\]: must have min, max or both/],
    ["{ composition: [{ max: 2 }] }", /^constraints.composition\[0\].tokens: must be given/],
    [
      "{ composition: [{ tokens: A, max: 2.5 }] }",
      /^constraints.composition\[0\].max: must be a whole number with the unit count, got 2.5/,
    ],
    [
      "{ composition: [{ tokens: A, max: 3, unit: fraction }] }",
      /^constraints.composition\[0\].max: must be at most 1 with the unit fraction, got 3/,
    ],
    [
      "{ composition: [{ tokens: A, min: 7 }] }",
      /^constraints.composition\[0\].min: must be at most the length, 6, got 7/,
    ],
    ["{ mutations: { parent: ACGT, most: 1 } }", /^constraints.mutations.parent: must have 6 tokens, got 4/],
    ["{ mutations: { parent: ACGTAC } }", /^constraints.mutations.most: must be given/],
  ])("%s", async (constraints, message) => {
    const error = await constraintsOf(constraints).catch((reason: unknown) => reason);
    if (!(error instanceof UserError)) throw error;
    expect(error.issues.map(({ path, message: text }) => `${path}: ${text}`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  test("gc for an alphabet without G and C", async () => {
    await expect(constraintsOf("{ gc: { min: 0.4 } }", "alphabet: AB\nlength: 6")).rejects.toThrow(
      "constraints.gc: must belong to an alphabet with the letters G and C, such as DNA",
    );
  });

  test("a template as text for an alphabet with ? or *, which may be a list", async () => {
    const head = 'alphabet: "AB*"\nlength: 3';
    await expect(constraintsOf('{ template: "A**" }', head)).rejects.toThrow(
      "constraints.template: must be a list of tokens, because the alphabet itself has *",
    );
    expect(await constraintsOf('{ template: [A, "*", "?"] }', head)).toEqual([
      expect.objectContaining({ pattern: [[0], [2], null] }),
    ]);
  });
});
