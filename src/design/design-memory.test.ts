// Strings that are too long for the memory are refused with a length that fits, before anything is made.

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { constrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { callBudgetSettings } from "../gfn/training/call-budget-defaults.ts";
import { parseProblemText } from "../problem/read-problem.ts";
import { design } from "./design.ts";
import { checkDesignMemory } from "./design-memory.ts";
import { runDesign } from "./design-run.ts";

const GB = 2 ** 30;
const PLENTY = { memory: 1000 * GB, heap: 1000 * GB };

function check(length: number, budget: { memory: number; heap: number }, letters = 4): string | null {
  const tokens = Array.from({ length: letters }, (_, i) => String.fromCharCode(65 + i));
  const environment = constrainedSequenceEnvironment({
    space: { tokens, length: { min: length, max: length } },
    ...{ constraints: [], noise: { kind: "none" } },
  });
  try {
    checkDesignMemory(environment, callBudgetSettings(environment), budget);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("the memory of a design", () => {
  test.each([
    [50, 20],
    [100, 4],
    [256, 32],
  ])("of %i tokens out of %i fits into 4 GB", (length, letters) => {
    expect(check(length, { memory: 4 * GB, heap: 2 * GB }, letters)).toBeNull();
  });

  test("of 10,000 letters needs more than 20 GB, and a length is named that does not", () => {
    const budget = { memory: 20 * GB, heap: 4 * GB };
    const message = check(10_000, budget);
    expect(message).toMatch(
      /^length: 10000 would take about [\d.]+ GiB of memory, most of it for the trajectories of a batch \([\d.]+ GiB\), but about 20 GiB are available; use strings of at most about \d+, or lower one of batch, /,
    );
    const fits = Number(message?.match(/at most about (\d+)/)?.[1]);
    expect(fits).toBeGreaterThan(1000);
    expect(check(fits, budget)).toBeNull();
    expect(check(10_000, PLENTY)).toBeNull();
  });
});

test("strings of 10,000 letters are refused before anything is scored, by the command and by the library", async () => {
  // The batch is so large that no machine has room for it.
  const training = { batch: 1_000_000 };
  const text =
    "alphabet: DNA\nlength: 10000\noracle: { landscape: nk, k: 1 }\ntraining: { batch: 1000000 }\n";
  const { problem } = await parseProblemText(text, { source: "problem.yaml", folder: "." });
  const folder = join(tmpdir(), "gflownet-never-made");
  await expect(runDesign({ problem, problemText: text, folder, budget: 100 })).rejects.toThrow(
    "length: 10000 would take about",
  );
  expect(existsSync(folder)).toBe(false);
  let calls = 0;
  const score = () => {
    calls++;
    return 1;
  };
  await expect(design({ alphabet: "DNA", length: 10_000, score, budget: 100, training })).rejects.toThrow(
    "length: 10000 would take about",
  );
  expect(calls).toBe(0);
});
