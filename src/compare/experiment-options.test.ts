import { afterEach, expect, test, vi } from "vitest";
import { comparisonFromInput } from "./comparison-input.ts";
import { experimentOptionsOf, fittingExperiments } from "./experiment-options.ts";
import { experimentSettings } from "./experiment-unit.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("as many experiments run at a time as fit into memory, and at least one", async () => {
  const comparison = await comparisonFromInput({ task: "hypergrid", side: 4 }, { calls: 1000 });
  const { bytes } = await fittingExperiments(comparison);
  const count = async (memory: number) => {
    vi.spyOn(process, "availableMemory").mockReturnValue(memory);
    return (await fittingExperiments(comparison)).count;
  };
  // 85 % of the memory is used.
  expect(await count((3.5 * bytes) / 0.85)).toBe(3);
  expect(await count(bytes / 2)).toBe(1);
});

test("an experiment that does not fit is refused before it starts", async () => {
  const comparison = await comparisonFromInput(
    { task: "bit-sequence", bits: 24, word: 8 },
    { calls: 1000, methods: ["random"] },
  );
  vi.spyOn(process, "availableMemory").mockReturnValue(2 ** 34);
  const settings = experimentSettings(comparison, { method: "random", stick: 0.25, seed: 0 });
  await expect(experimentOptionsOf(settings)).rejects.toThrow("bits: 24 would take about");
});
