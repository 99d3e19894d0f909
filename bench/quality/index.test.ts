import { describe, expect, test } from "vitest";
import { UsageError } from "../benchmark.ts";
import { isJudged, quality, select, unrecordable } from "./index.ts";
import { SETTINGS } from "./settings.ts";
import { tfbind8Table } from "./table.ts";
import { timed, trained } from "./test-support.ts";

const full = { ...quality.full, quick: false };
const quick = { ...quality.quick, quick: true };

describe("a selection", () => {
  test("is everything without a pattern, and what matches with one", () => {
    expect(select(undefined, true)).toEqual(SETTINGS);
    expect(select(/^hypergrid 8x8,/, true).map(({ name }) => name)).toEqual([
      "hypergrid 8x8, stick .25",
      "hypergrid 8x8, stick .5",
    ]);
  });

  test("goes on without the measured table", () => {
    expect(select(undefined, false).map(({ work }) => work.problem.task)).toEqual([
      "hypergrid",
      "hypergrid",
      "hypergrid",
      "bit-sequence",
    ]);
  });

  test("of nothing says what there is, or what is missing", () => {
    expect(() => select(/nothing like it/, true)).toThrow(
      /matches no setting; settings are: tfbind8, stick \.1, /,
    );
    expect(() => select(/^tfbind8/, false)).toThrow(UsageError);
    expect(() => select(/^tfbind8/, false)).toThrow(/needs the table of tfbind8: .*GFLOWNET_TFBIND8_TABLE/);
  });
});

test("only whole results are recorded", () => {
  expect(unrecordable(full, true)).toBeUndefined();
  expect(unrecordable(quick, true)).toMatch(/does not go together with --quick/);
  expect(unrecordable({ ...full, rounds: 2 }, true)).toMatch(/fewer --rounds/);
  expect(unrecordable({ ...full, seconds: 120 }, true)).toMatch(/fewer --seconds/);
  expect(unrecordable(full, false)).toMatch(/needs the table of tfbind8/);
});

test("settings are judged where they get all of their time", () => {
  const [short, long] = [trained("short", 60), trained("long", 300)];
  expect([short, long, timed("limit")].map((setting) => isJudged(setting, full))).toEqual([true, true, true]);
  const capped = { ...full, seconds: 60 };
  expect([short, long, timed("limit")].map((setting) => isJudged(setting, capped))).toEqual([
    true,
    false,
    true,
  ]);
  expect([short, long, timed("limit")].map((setting) => isJudged(setting, quick))).toEqual([
    false,
    false,
    false,
  ]);
});

test("the table is where the environment says, or beside the project", () => {
  expect(tfbind8Table({ GFLOWNET_TFBIND8_TABLE: "here.txt" })).toBe("here.txt");
  expect(tfbind8Table({})).toMatch(/shared.data.tfbind.SIX6_REF_R1_8mers\.txt$/);
});
