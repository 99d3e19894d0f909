import { describe, expect, test } from "vitest";
import { type Benchmark, UsageError } from "./benchmark.ts";
import { benchmarkList, parseArguments, usage } from "./command-line.ts";

const engine: Benchmark = {
  name: "engine",
  summary: "speed of the engine",
  full: { rounds: 5, seconds: 3 },
  quick: { rounds: 2, seconds: 0.5 },
  run: async () => ({ rows: [], versions: {} }),
};
const quality: Benchmark = {
  ...engine,
  name: "quality",
  summary: "quality of results",
  help: { quick: "short version", jobs: "parallel processes", fresh: "measure again" },
  recordProblem: ({ quick }) => (quick ? "--record needs a complete result." : undefined),
};
const parse = (line: string) => parseArguments(line.split(" ").filter(Boolean), [engine, quality]);

test("without a name all benchmarks are listed", () => {
  expect(parse("")).toEqual({ kind: "list" });
  expect(benchmarkList([engine, quality]).split("\n").slice(1)).toEqual([
    "  engine   speed of the engine",
    "  quality  quality of results",
  ]);
});

test("a name without options runs the full version", () => {
  expect(parse("engine")).toMatchObject({
    kind: "run",
    benchmark: engine,
    json: false,
    record: false,
    options: { quick: false, rounds: 5, seconds: 3 },
  });
});

test("the quick version has a smaller budget, which options override", () => {
  expect(parse("engine --quick")).toMatchObject({ options: { quick: true, rounds: 2, seconds: 0.5 } });
  expect(parse("engine --quick --rounds 7 --seconds 0.25")).toMatchObject({
    options: { quick: true, rounds: 7, seconds: 0.25 },
  });
});

test("rows are selected by a case-insensitive pattern", () => {
  expect(parse("engine --only Hidden.64 --json")).toMatchObject({
    json: true,
    options: { only: /Hidden.64/i },
  });
});

test("a benchmark can have the options --jobs and --fresh", () => {
  expect(parse("quality")).toMatchObject({ options: { jobs: 1, fresh: false } });
  expect(parse("quality --jobs 2 --fresh")).toMatchObject({ options: { jobs: 2, fresh: true } });
  expect(parse("engine")).not.toHaveProperty("options.jobs");
});

test("a benchmark can refuse to record an incomplete result", () => {
  expect(() => parse("quality --record --quick")).toThrow(
    new UsageError("--record needs a complete result."),
  );
  expect(parse("quality --record")).toMatchObject({ record: true });
  expect(parse("engine --record --quick")).toMatchObject({ record: true });
});

test("help names every option", () => {
  expect(parse("engine --help")).toEqual({ kind: "help", benchmark: engine });
  for (const option of ["json", "quick", "record", "rounds", "seconds", "only", "help"]) {
    expect(usage(engine)).toContain(`--${option}`);
  }
});

test("help shows the option descriptions of the benchmark", () => {
  expect(`\n${usage(quality)}`).toMatchInlineSnapshot(`
    "
    npm run bench -- quality [options]
    quality of results

      --quick        short version
      --rounds N     number of rounds; each round runs every process once (default 5)
      --seconds S    measured seconds per process, after a warm-up of up to 1 s (default 3)
      --only PATTERN only rows whose setting or rival matches this regular expression
      --jobs N       parallel processes
      --fresh        measure again
      --json         print one JSON object per row to standard output, and nothing else
      --record       also write the table to bench/results/quality.md
      --help         show this help"
  `);
});

describe("invalid arguments give one sentence with the problem and the valid values", () => {
  test.each([
    ["speed", 'Unknown benchmark "speed"; choose one of: engine, quality.'],
    ["engine quality", 'Only one benchmark can run at a time, got "quality" after engine.'],
    [
      "engine --fast",
      "Unknown option '--fast'; valid options: --json, --quick, --record, --rounds, --seconds, --only, --help.",
    ],
    [
      "engine --jobs 2",
      "Unknown option '--jobs'; valid options: --json, --quick, --record, --rounds, --seconds, --only, --help.",
    ],
    ["quality --jobs 0", '--jobs must be a whole number of at least 1, got "0".'],
    ["engine --rounds 1.5", '--rounds must be a whole number of at least 1, got "1.5".'],
    ["engine --rounds 0", '--rounds must be a whole number of at least 1, got "0".'],
    ["engine --seconds=-1", '--seconds must be a positive number, got "-1".'],
    ["engine --seconds soon", '--seconds must be a positive number, got "soon".'],
    ["engine --record --only gemm", "--record needs a complete result: omit --only."],
  ])("%s", (line, message) => {
    expect(() => parse(line)).toThrow(new UsageError(message));
  });

  test("an invalid pattern", () => {
    expect(() => parse("engine --only (")).toThrow(/^--only must be a regular expression: .*\.$/);
  });
});
