import { expect, test } from "vitest";
import { CASES } from "./cases.ts";
import { requirementText } from "./requirements.ts";

const named = (pattern: RegExp) => CASES.filter(({ name }) => pattern.test(name));
const requiredOf = (name: string) =>
  CASES.find((setting) => setting.name === name)
    ?.requirements.map(requirementText)
    .join("; ");

test("the documented cases exist, with unique names", () => {
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  expect(named(/^tfbind8, stick/).map(({ name }) => name)).toEqual([
    ...[".1", ".25", ".5", ".75"].flatMap((stick) => [60, 300].map((s) => `tfbind8, stick ${stick}, ${s} s`)),
    "tfbind8, stick .25, 30 s",
  ]);
  expect(named(/^tfbind8 without state table, stick/)).toHaveLength(8);
  expect(named(/^tfbind8, dynamics none/).map(({ name, seconds }) => [name, seconds])).toEqual(
    [".25", ".5", ".75"].map((stick) => [`tfbind8, dynamics none, stick ${stick}`, 120]),
  );
  expect(named(/^(hypergrid|bit)/).map(({ name, seconds }) => [name, seconds])).toEqual([
    ["hypergrid 8x8, stick .25", 60],
    ["hypergrid 8x8x8, stick .25", 60],
    ["hypergrid 8x8, stick .5", 60],
    ["bit-sequence n=16 k=4, stick .25", 120],
  ]);
  expect(named(/of tfbind8$/).map(({ name }) => name)).toEqual([
    "exact evaluation of tfbind8",
    "limit of tfbind8",
  ]);
  expect(CASES).toHaveLength(9 + 8 + 3 + 4 + 2);
});

test.each([
  ["tfbind8, stick .1, 60 s", "TV <= limit + 0.04; KL(P‖P̂) <= 0.01; wall s <= 61.2"],
  ["tfbind8, stick .25, 30 s", "TV <= limit + 0.015; wall s <= 30.6"],
  ["tfbind8, stick .25, 60 s", "TV <= limit + 0.004; KL(P‖P̂) <= 0.01; wall s <= 61.2"],
  ["tfbind8, stick .5, 60 s", "TV <= limit + 0.05; KL(P‖P̂) <= 0.01; wall s <= 61.2"],
  ["tfbind8, stick .75, 60 s", "TV <= limit + 0.03; KL(P‖P̂) <= 0.01; wall s <= 61.2"],
  ["tfbind8, stick .1, 300 s", "TV <= limit + 0.015; KL <= limit + 0.005; KL(P‖P̂) <= 0.01; wall s <= 306"],
  ["tfbind8, stick .25, 300 s", "TV <= limit + 0.015; KL <= limit + 0.005; KL(P‖P̂) <= 0.01; wall s <= 306"],
  ["tfbind8, stick .5, 300 s", "TV <= limit + 0.02; KL <= limit + 0.006; KL(P‖P̂) <= 0.01; wall s <= 306"],
  ["tfbind8, stick .75, 300 s", "TV <= limit + 0.015; KL <= limit + 0.006; KL(P‖P̂) <= 0.01; wall s <= 306"],
  ["tfbind8 without state table, stick .5, 300 s", ""],
  ["tfbind8, dynamics none, stick .5", "|TV - prediction| <= 0.02; wall s <= 122.4"],
  ["hypergrid 8x8, stick .25", "TV <= 0.01; wall s <= 61.2"],
  ["hypergrid 8x8x8, stick .25", "TV <= 0.03; wall s <= 61.2"],
  ["hypergrid 8x8, stick .5", "KL <= limit + 0.005; wall s <= 61.2"],
  ["bit-sequence n=16 k=4, stick .25", "TV <= limit + 0.03; wall s <= 122.4"],
  ["exact evaluation of tfbind8", "s <= 1"],
  ["limit of tfbind8", "s <= 1"],
])("%s requires %s", (name, required) => {
  expect(requiredOf(name)).toBe(required);
});

test("cases differ only by the settings in their names", () => {
  const trainings = CASES.flatMap(({ name, measurement: work }) =>
    work.kind === "training" ? [{ name, work }] : [],
  );
  for (const { name, work } of trainings) {
    expect(work.rewardExponent).toBe(name.startsWith("tfbind8") ? 3 : 1);
    expect(work.stateTable).toBe(!name.includes("without state table"));
    expect(work.objective).toEqual(
      name.includes("dynamics none") ? { balance: "db", dynamics: "none", loss: "kl" } : undefined,
    );
    expect(name).toContain(`stick ${String(work.problem.stick).slice(1)}`);
  }
});
