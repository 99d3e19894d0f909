import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { RunError } from "../../src/disk/run-error.ts";
import { InputError, MemoryError, ModelFileError, NonFiniteError } from "../../src/engine/errors.ts";
import { UserError } from "../../src/issues.ts";
import { parseBindingTable } from "../../src/tasks/tfbind8/binding-table.ts";
import { surrogateTable } from "../../src/tasks/tfbind8/surrogate.ts";
import { errorProblem, findNonFinite } from "./check-error.ts";
import { damaged, damagedText } from "./damage.ts";
import { casesOf, fuzz, fuzzRows, nameOf } from "./index.ts";
import { runCases } from "./pool.ts";
import { Random } from "./random.ts";
import { bindingTableText } from "./valid-files.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-fuzz-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("an error", () => {
  test.each([
    new UserError([{ path: "hidden", code: "range", message: "must be a list, got 3" }], {
      source: "config.json",
    }),
    new UserError([
      { path: "hidden", code: "range", message: "must be a list, got 3" },
      { path: "batch", code: "range", message: "must be a whole number, got NaN" },
    ]),
    new RunError("runs/a is not empty; choose another name for the run"),
    new ModelFileError("it is a damaged checkpoint: its checksum is wrong."),
    new NonFiniteError("train", ["loss"], 3),
    new MemoryError(
      "train: needs about 400 GiB of memory, and 22 GiB are free; use a smaller network or batch.",
    ),
    new RangeError("batch must be a whole number of at least 1, got 0"),
  ])("of this library with a clear message is a refusal: %s", (error) => {
    expect(errorProblem(error)).toBeUndefined();
  });

  test.each([
    [new TypeError("x is not a function"), "unexpected TypeError"],
    [new Error("something"), "unexpected Error"],
    [new SyntaxError("Unexpected token"), "unexpected SyntaxError"],
    [new RangeError("Maximum call stack size exceeded"), "unexpected RangeError"],
    [new RangeError("Invalid typed array length: 1e12"), "unexpected RangeError"],
    [new InputError("train: state policy is not finite"), "unexpected InputError"],
    [new RunError(""), "empty message"],
    [new RunError("two\nlines"), "several lines"],
    [new RunError("it cannot be undefined"), '"undefined"'],
    [new RunError("got [object Object]"), '"[object "'],
    [new RunError("wrong at train (src/gfn/train.ts:12:3)"), ".ts:12"],
    [new RunError("\u001b[31mred"), "control characters"],
    [new RunError("x".repeat(600)), "line too long"],
    [new UserError([]), "empty message"],
    ["a text", "threw a text"],
  ])("of any other class, or with an unclear message, is a failure: %s", (error, problem) => {
    expect(errorProblem(error)).toContain(problem);
  });

  test("of the engine is a refusal if the input is a checkpoint", () => {
    expect(
      errorProblem(new InputError("train: state policy is not finite"), { checkpoint: true }),
    ).toBeUndefined();
  });
});

test("non-finite numbers are found at any depth", () => {
  expect(findNonFinite({ a: 1, b: [0, { c: null }], d: Float32Array.of(1, 2), e: "NaN" })).toBeUndefined();
  expect(findNonFinite({ a: { b: [1, Number.NaN] } })).toBe("a.b.1 is NaN");
  expect(findNonFinite({ weights: Float32Array.of(1, Number.POSITIVE_INFINITY) })).toBe(
    "weights[1] is Infinity",
  );
});

test("the binding table is valid before it is damaged, with both strands in each line", () => {
  const text = bindingTableText();
  expect(text.trim().split("\n")).toHaveLength(1 + 32_896);
  const [read, scores] = [parseBindingTable(text, "table"), surrogateTable()];
  expect(Math.max(...read.map((score, i) => Math.abs(score - scores[i])))).toBeLessThan(1e-5);
});

test("damage is reproducible by its seed, and differs between seeds", () => {
  const bytes = Uint8Array.from({ length: 500 }, (_, i) => i);
  const copies = Array.from({ length: 300 }, (_, seed) => damaged(bytes, new Random(seed, "test")));
  expect(copies).toEqual(Array.from(copies, (_, seed) => damaged(bytes, new Random(seed, "test"))));
  const distinct = new Set(copies.map((copy) => Buffer.from(copy).toString("base64")));
  expect(distinct.size).toBeGreaterThan(200);
  const texts = copies.map((_, seed) => damagedText('{"a": 1}\n{"b": 2}\n', new Random(seed, "text")));
  expect(new Set(texts.map((copy) => Buffer.from(copy).toString("base64"))).size).toBeGreaterThan(150);
});

describe("cases", () => {
  test("alternate between kinds, and can be selected by name", () => {
    const names = casesOf(8).map(nameOf);
    expect(names.slice(0, 8)).toEqual([
      "object 0",
      "text 0",
      "flags 0",
      "object 1",
      "text 1",
      "flags 1",
      "object 2",
      "text 2",
    ]);
    expect(names.slice(8, 12)).toEqual(["table 0", "json 0", "checkpoint 0", "metrics 0"]);
    expect(casesOf(fuzz.full.rounds, /^table 17$/)).toEqual([{ kind: "table", seed: 17 }]);
  });

  test("that hang or end the process are reported, and the others continue", async () => {
    const cases = [0, 1, 2, 3].map((seed) => ({ kind: "json" as const, seed }));
    const worker = "test/support/fuzz-fake-worker.ts";
    const outcomes = await runCases(cases, { jobs: 1, timeoutSeconds: 5, folder, worker });
    expect(outcomes).toEqual([
      { kind: "refused", message: "0 is refused" },
      { kind: "failed", problem: "no result within 5 s" },
      { kind: "failed", problem: "the process ended with 3: Error: out of order" },
      { kind: "refused", message: "3 is refused" },
    ]);
  });

  test("are counted by outcome, and leave no files if they succeed", async () => {
    const lines: string[] = [];
    const rows = await fuzzRows({
      cases: [0, 1, 2].map((seed) => ({ kind: "metrics" as const, seed })),
      jobs: 1,
      timeoutSeconds: 60,
      folder: join(folder, "counted"),
      say: (line) => lines.push(line),
    });
    expect(rows).toMatchObject([{ setting: "damaged metrics.jsonl", cases: 3, failures: [] }]);
    const { worked, refused } = rows[0].counts;
    expect(worked + refused).toBe(3);
    expect(readdirSync(join(folder, "counted", "worker-0"))).toEqual([]);
    expect(lines).toEqual([]);
  });
});

test("only complete results are recorded", () => {
  expect(fuzz.recordProblem?.({ ...fuzz.full, quick: false })).toBeUndefined();
  expect(fuzz.recordProblem?.({ ...fuzz.quick, quick: true })).toMatch(/--record needs a complete result/);
});
