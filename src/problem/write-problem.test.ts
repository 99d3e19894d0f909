import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { parseProblem, parseProblemText } from "./read-problem.ts";
import { EXAMPLES, formatProblem, type ProblemDraft } from "./write-problem.ts";

const DRAFTS: readonly [string, ProblemDraft][] = [
  ["the shortest problem", { alphabet: "DNA", length: 12 }],
  [
    "words that YAML may take for other values",
    {
      alphabet: ["no", "on", "null", "0", "1e5", "~", "NAN", "y,", "#x", "a: b".replaceAll(" ", "_")],
      length: { min: 1, max: 4 },
      constraints: { forbid: ["no", "null0", "00", "1e5", "~~", "NANno", "y,y,", "#x#x"], homopolymer: 2 },
      known: [
        { string: "null", score: 1 },
        { string: "1e51e5", score: -0.25 },
      ],
    },
  ],
  [
    "numbers as letters",
    { alphabet: "01", length: 4, constraints: { template: "0??1", forbid: ["0110", "111"] } },
  ],
  [
    "every key",
    {
      alphabet: "RNA",
      length: 8,
      oracle: { program: "python3 'my score.py'", protocol: "json", workers: 2 },
      constraints: {
        template: ["A", "?", ["G", "C"], "*"],
        require: ["UU"],
        pairs: { C: "ACU" },
        gc: { min: 0.2, max: 0.8 },
        composition: [{ tokens: "A", max: 3 }],
        mutations: { parent: "ACGUUACG", most: 5 },
      },
      noise: { substitution: { A: { G: 0.01 } }, when: "after", deletion: 0.001 },
      reward: { goal: "minimise", exponent: 3, floor: 0.001 },
      known: [{ string: "AACGUUAC", score: 0.5 }],
      budget: 100,
      failures: "floor",
      seed: 5,
      training: { batch: 16, learningRate: { from: 0.01, to: 0.001 } },
    },
  ],
];

describe("a written problem is read again as the same problem:", () => {
  test.each(DRAFTS)("%s", async (_, draft) => {
    const expected = await parseProblem(draft);
    const text = formatProblem(draft, "problem.schema.json");
    const read = await parseProblemText(text, { source: "problem.yaml" });
    expect(read.problem).toEqual(expected.problem);
  });

  test.each(DRAFTS)("%s, by other readers of YAML too", (_, draft) => {
    for (const version of ["1.1", "1.2"] as const) {
      const value = parseDocument(formatProblem(draft, null), { version }).toJS();
      expect(value).toEqual(draft);
    }
  });
});

test("the file begins with its schema, and has a comment before each key", () => {
  const text = formatProblem({ alphabet: "DNA", length: 12 }, "../schema/problem.schema.json");
  expect(text.split("\n").slice(0, 8)).toEqual([
    "# yaml-language-server: $schema=../schema/problem.schema.json",
    "# A problem for gflownet.",
    "",
    "# The tokens that strings consist of",
    "alphabet: DNA",
    "",
    "# Number of tokens of a string, fixed or from min to max",
    "length: 12",
  ]);
});

describe("the examples in the comments are valid", () => {
  const written = formatProblem({ alphabet: "DNA", length: 12 }, null);

  test.each(Object.entries(EXAMPLES))("%s", async (key, example) => {
    const text = `alphabet: DNA\nlength: 12\n${example}\n`;
    const { notes } = await parseProblemText(text);
    expect(notes).toEqual([]);
    // The comment of the file, without its first two signs, is the example.
    const lines = example.split("\n").map((line) => (line.startsWith("#") ? line : `# ${line}`));
    expect(written).toContain(lines.join("\n"));
    expect(written).toContain(`# ${key}:`);
  });

  test("also those after “or”", async () => {
    const others = Object.values(EXAMPLES)
      .flatMap((example) => example.split("\n"))
      .filter((line) => line.startsWith("# or: "))
      .map((line) => line.slice("# or: ".length));
    expect(others).toHaveLength(3);
    for (const line of others) await parseProblemText(`alphabet: DNA\nlength: 12\n${line}\n`);
  });
});
