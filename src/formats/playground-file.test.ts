import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { type PlaygroundFile, readPlaygroundFile, writePlaygroundFile } from "./playground-file.ts";
import { playgroundSchema } from "./playground-schema.ts";

const isValid = new Ajv2020({ strict: true }).compile(playgroundSchema());

const FILE: PlaygroundFile = {
  config: { task: "table", side: 3, scores: "a.csv" },
  data: { scores: { name: "a.csv", bytes: Uint8Array.of(1, 2, 255) } },
  checkpoint: Uint8Array.from({ length: 100_000 }, (_, i) => i % 251),
  metrics: [{ kind: "start" }, { kind: "iteration", iteration: 1, loss: 0.1 } as never],
};
const TEXT = writePlaygroundFile(FILE);

test("the published schema is that of the code (npx tsx scripts/playground-schema.ts writes it)", () => {
  expect(JSON.parse(readFileSync("schema/playground.schema.json", "utf8"))).toEqual(playgroundSchema());
});

test("a file survives writing and reading, and the schema accepts it", () => {
  expect(isValid(JSON.parse(TEXT))).toBe(true);
  expect(readPlaygroundFile(TEXT, "a.json")).toEqual(FILE);
  const { data: _, ...without } = FILE;
  expect(readPlaygroundFile(`\uFEFF${writePlaygroundFile(without)}`, "a.json")).toEqual({
    ...without,
    data: {},
  });
});

test("numbers that are not finite are written as texts", () => {
  const metrics = [{ kind: "evaluation", kl: Number.POSITIVE_INFINITY, tv: Number.NaN } as never];
  expect(readPlaygroundFile(writePlaygroundFile({ ...FILE, metrics }), "a.json").metrics).toEqual([
    { kind: "evaluation", kl: "Infinity", tv: "NaN" },
  ]);
});

test.each([0, 1, 2, 3, 40_000])("%i bytes survive base64", (count) => {
  const bytes = Uint8Array.from({ length: count }, (_, i) => (i * 7) % 256);
  expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
});

describe("a file is refused, also by the schema, if", () => {
  const changed = (changes: object) => JSON.stringify({ ...JSON.parse(TEXT), ...changes });
  test.each([
    [
      "it is another format",
      changed({ format: "other" }),
      'a.json: it must be a result of the playground, with "format": "gflownet-playground"',
    ],
    ["it is a list", "[]", "a.json: it must be a result of the playground"],
    [
      "it is of a later version",
      changed({ version: 2 }),
      "a.json: its version must be 1, got 2; use a newer gflownet",
    ],
    [
      "it has no version",
      changed({ version: undefined }),
      "its version must be 1, got undefined; download it",
    ],
    ["its config is a text", changed({ config: "x" }), 'config must be an object of settings, got "x"'],
    [
      "it has no checkpoint",
      changed({ checkpoint: undefined }),
      "checkpoint must be a text in base64, got undefined",
    ],
    [
      "its checkpoint is no base64",
      changed({ checkpoint: "%%%%" }),
      'checkpoint must be a text in base64, got "%%%%"',
    ],
    [
      "its metrics are an object",
      changed({ metrics: {} }),
      "metrics must be a list of events, got an object".replace("an object", "{}"),
    ],
    [
      "an event has no kind",
      changed({ metrics: [{ kind: "start" }, {}] }),
      "metrics[1] must be an event, an object whose kind is start, plan, iteration, evaluation, end, got {}",
    ],
    ["its data is a list", changed({ data: [] }), "data must be an object of files, got []"],
    [
      "its data has no content",
      changed({ data: { scores: { name: "a" } } }),
      'data must have a name and a content in base64 for "scores"',
    ],
  ])("%s", (_, text, message) => {
    expect(() => readPlaygroundFile(text, "a.json")).toThrow(UserError);
    expect(() => readPlaygroundFile(text, "a.json")).toThrow(message);
    expect(isValid(JSON.parse(text))).toBe(false);
  });

  test("it is cut off at any place", () => {
    for (let length = 0; length < TEXT.length - 2; length += 997) {
      expect(() => readPlaygroundFile(TEXT.slice(0, length), "a.json")).toThrow(
        /^a.json: it is not a whole JSON file: .*; download it from the playground again$/,
      );
    }
  });
});
