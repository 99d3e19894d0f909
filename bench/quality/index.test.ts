import { describe, expect, test } from "vitest";
import { UsageError } from "../benchmark.ts";
import { bindingTablePath } from "./binding-table-path.ts";
import { CASES } from "./cases.ts";
import { isChecked, quality, recordProblem, select } from "./index.ts";
import { timingCase, trainingCase } from "./test-support.ts";

const full = { ...quality.full, quick: false };
const quick = { ...quality.quick, quick: true };

describe("a selection", () => {
  test("contains all cases without a pattern, else those that match", () => {
    expect(select(undefined, true)).toEqual(CASES);
    expect(select(/^hypergrid 8x8,/, true).map(({ name }) => name)).toEqual([
      "hypergrid 8x8, stick .25",
      "hypergrid 8x8, stick .5",
    ]);
  });

  test("leaves out tfbind8 without the binding table", () => {
    expect(select(undefined, false).map(({ measurement: work }) => work.problem.task)).toEqual([
      "hypergrid",
      "hypergrid",
      "hypergrid",
      "bit-sequence",
    ]);
  });

  test("without cases fails and lists the available settings or the missing table", () => {
    expect(() => select(/nothing like it/, true)).toThrow(
      /matches no setting; available settings: tfbind8, stick \.1, /,
    );
    expect(() => select(/^tfbind8/, false)).toThrow(UsageError);
    expect(() => select(/^tfbind8/, false)).toThrow(
      /needs the tfbind8 binding table at .*GFLOWNET_TFBIND8_TABLE/,
    );
  });
});

test("only complete results are recorded", () => {
  expect(recordProblem(full, true)).toBeUndefined();
  expect(recordProblem(quick, true)).toMatch(/omit --quick/);
  expect(recordProblem({ ...full, rounds: 2 }, true)).toMatch(/--rounds and --seconds below/);
  expect(recordProblem({ ...full, seconds: 120 }, true)).toMatch(/--seconds below their defaults/);
  expect(recordProblem(full, false)).toMatch(/needs the tfbind8 binding table/);
});

test("requirements are checked if a case is trained for its full time", () => {
  const [short, long] = [trainingCase("short", 60), trainingCase("long", 300)];
  expect([short, long, timingCase("limit")].map((setting) => isChecked(setting, full))).toEqual([
    true,
    true,
    true,
  ]);
  const capped = { ...full, seconds: 60 };
  expect([short, long, timingCase("limit")].map((setting) => isChecked(setting, capped))).toEqual([
    true,
    false,
    true,
  ]);
  expect([short, long, timingCase("limit")].map((setting) => isChecked(setting, quick))).toEqual([
    false,
    false,
    false,
  ]);
});

test("the path of the table comes from the environment variable, else it is next to the repository", () => {
  expect(bindingTablePath({ GFLOWNET_TFBIND8_TABLE: "here.txt" })).toBe("here.txt");
  expect(bindingTablePath({})).toMatch(/shared.data.tfbind.SIX6_REF_R1_8mers\.txt$/);
});
