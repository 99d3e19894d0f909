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
const quality: Benchmark = {
  ...engine,
  name: "quality",
  summary: "how good",
  help: { quick: "a try", jobs: "side by side", fresh: "again" },
  unrecordable: ({ quick }) => (quick ? "--record is not for a try." : undefined),
};
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

test("a benchmark may offer processes side by side and to measure again", () => {
  expect(parse("quality")).toMatchObject({ options: { jobs: 1, fresh: false } });
  expect(parse("quality --jobs 2 --fresh")).toMatchObject({ options: { jobs: 2, fresh: true } });
  expect(parse("engine")).not.toHaveProperty("options.jobs");
});

test("a benchmark may refuse to record what is not whole", () => {
  expect(() => parse("quality --record --quick")).toThrow(new UsageError("--record is not for a try."));
  expect(parse("quality --record")).toMatchObject({ record: true });
  expect(parse("engine --record --quick")).toMatchObject({ record: true });
});

test("help names every option", () => {
  expect(parse("engine --help")).toEqual({ kind: "help", benchmark: engine });
  for (const option of ["json", "quick", "record", "rounds", "seconds", "only", "help"]) {
    expect(usage(engine)).toContain(`--${option}`);
  }
});

test("help has a benchmark's own words where it has some", () => {
  expect(`\n${usage(quality)}`).toMatchInlineSnapshot(`
    "
    npm run bench -- quality [options]
    how good

      --quick        a try
      --rounds N     rounds, each with every process once (5)
      --seconds S    measured seconds per process, after a warm-up of up to 1 s (3)
      --only PATTERN only rows whose setting or rival matches this regular expression
      --jobs N       side by side
      --fresh        again
      --json         one JSON object per row on standard output, and nothing else there
      --record       also write the table to bench/results/quality.md
      --help         this text"
  `);
});

describe("one sentence says what is wrong and what there is", () => {
  test.each([
    ["speed", 'There is no benchmark "speed"; benchmarks are: engine, quality.'],
    ["engine quality", 'One benchmark at a time: "quality" came after engine.'],
    [
      "engine --fast",
      "Unknown option '--fast'; options are: --json, --quick, --record, --rounds, --seconds, --only, --help.",
    ],
    [
      "engine --jobs 2",
      "Unknown option '--jobs'; options are: --json, --quick, --record, --rounds, --seconds, --only, --help.",
    ],
    ["quality --jobs 0", '--jobs must be a whole number of at least 1, got "0".'],
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
