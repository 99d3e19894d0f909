import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withKeys } from "../../scripts/problem-schema.ts";
import { problemSchema } from "./json-schema.ts";
import { parseProblem, parseProblemText } from "./read-problem.ts";
import { EXAMPLES } from "./write-problem.ts";

const isValid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(problemSchema());

/** The full example of the documentation. */
const [DOCUMENTED] = /(?<=```yaml\n)[^`]*/.exec(readFileSync("docs/problem-file.md", "utf8")) ?? [""];

test("the published schema is that of the code (npx tsx scripts/problem-schema.ts writes it)", () => {
  expect(JSON.parse(readFileSync("schema/problem.schema.json", "utf8"))).toEqual(problemSchema());
});

test("the table of keys in the documentation is that of the code", () => {
  const document = readFileSync("docs/problem-file.md", "utf8");
  expect(withKeys(document)).toBe(document);
});

test("the full example of the documentation is valid by both", async () => {
  const { problem, notes } = await parseProblemText(DOCUMENTED);
  expect(notes).toEqual([]);
  expect(problem.constraints.length).toBeGreaterThan(6);
  expect(isValid(parse(DOCUMENTED))).toBe(true);
});

test.each(Object.values(EXAMPLES))("the schema accepts %j", (example) => {
  expect(isValid(parse(`alphabet: DNA\nlength: 12\n${example}`))).toBe(true);
});

test("the schema accepts strings that YAML takes for numbers and booleans", () => {
  expect(isValid(parse("alphabet: 01\nlength: 4\nconstraints: { forbid: [0110, 1e1, true, null] }"))).toBe(
    true,
  );
});

describe("the schema refuses what the program refuses:", () => {
  test.each([
    [{ length: 8 }],
    [{ alphabet: "DNA" }],
    [{ alphabet: "DNA", length: 0 }],
    [{ alphabet: "DNA", length: 8.5 }],
    [{ alphabet: "DNA", length: { min: 8 } }],
    [{ alphabet: ["A"], length: 8 }],
    [{ alphabet: "DNA", length: 8, oracel: "a" }],
    [{ alphabet: "DNA", length: 8, oracle: { program: "a", workers: 0 } }],
    [{ alphabet: "DNA", length: 8, oracle: { program: "a", url: "http://b" } }],
    [{ alphabet: "DNA", length: 8, constraints: { forbid: "GATC" } }],
    [{ alphabet: "DNA", length: 8, constraints: { gc: { max: 60 } } }],
    [{ alphabet: "DNA", length: 8, noise: { stick: 1 } }],
    [{ alphabet: "DNA", length: 8, noise: { stick: 0.1, when: "never" } }],
    [{ alphabet: "DNA", length: 8, reward: { exponent: "fast" } }],
    [{ alphabet: "DNA", length: 8, known: [{ string: "ACGTACGT" }] }],
    [{ alphabet: "DNA", length: 8, failures: "ignore" }],
    [{ alphabet: "DNA", length: 8, training: { batch: 0 } }],
    [{ alphabet: "DNA", length: 8, training: { epsilon: { from: 0 } } }],
  ])("%j", async (value) => {
    expect(isValid(value)).toBe(false);
    await expect(parseProblem(value)).rejects.toThrow();
  });
});
