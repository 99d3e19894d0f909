import { describe, expect, test } from "vitest";
import { listing, parseArguments, usage } from "./arguments.ts";
import { type Benchmark, UsageError } from "./benchmark.ts";

const engine: Benchmark = {
  name: "engine",
  summary: "how fast",
  full: { rounds: 5, seconds: 3 },
  quick: { rounds: 2, seconds: 0.5 },
  run: async () => ({ rows: [], versions: {} }),
};
const quality: Benchmark = { ...engine, name: "quality", summary: "how good" };
const parse = (line: string) => parseArguments(line.split(" ").filter(Boolean), [engine, quality]);

test("without a name the benchmarks are listed", () => {
  expect(parse("")).toEqual({ kind: "list" });
  expect(listing([engine, quality]).split("\n").slice(1)).toEqual([
    "  engine   how fast",
    "  quality  how good",
  ]);
});

test("a name alone is the full version", () => {
  expect(parse("engine")).toMatchObject({
    kind: "run",
    benchmark: engine,
    json: false,
    record: false,
    options: { quick: false, rounds: 5, seconds: 3 },
  });
});

test("the quick version has a smaller budget, which options still override", () => {
  expect(parse("engine --quick")).toMatchObject({ options: { quick: true, rounds: 2, seconds: 0.5 } });
  expect(parse("engine --quick --rounds 7 --seconds 0.25")).toMatchObject({
    options: { quick: true, rounds: 7, seconds: 0.25 },
  });
});

test("rows are selected by a pattern whose case does not matter", () => {
  expect(parse("engine --only Hidden.64 --json")).toMatchObject({
    json: true,
    options: { only: /Hidden.64/i },
  });
});

test("help names every option", () => {
  expect(parse("engine --help")).toEqual({ kind: "help", benchmark: engine });
  for (const option of ["json", "quick", "record", "rounds", "seconds", "only", "help"]) {
    expect(usage(engine)).toContain(`--${option}`);
  }
});

describe("one sentence says what is wrong and what there is", () => {
  test.each([
    ["speed", 'There is no benchmark "speed"; benchmarks are: engine, quality.'],
    ["engine quality", 'One benchmark at a time: "quality" came after engine.'],
    [
      "engine --fast",
      "Unknown option '--fast'; options are: --json, --quick, --record, --rounds, --seconds, --only, --help.",
    ],
    ["engine --rounds 1.5", '--rounds must be a whole number of at least 1, got "1.5".'],
    ["engine --rounds 0", '--rounds must be a whole number of at least 1, got "0".'],
    ["engine --seconds=-1", '--seconds must be a positive number, got "-1".'],
    ["engine --seconds soon", '--seconds must be a positive number, got "soon".'],
    ["engine --record --only gemm", "--record keeps a whole result and does not go together with --only."],
  ])("%s", (line, message) => {
    expect(() => parse(line)).toThrow(new UsageError(message));
  });

  test("a pattern that is none", () => {
    expect(() => parse("engine --only (")).toThrow(/^--only must be a regular expression: .*\.$/);
  });
});
