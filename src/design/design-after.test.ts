// Designs under errors of synthesis: expected scores of the candidates, and what a second start of the same design does.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { channel } from "../channel/channel.ts";
import { nkLandscape } from "../landscapes/nk.ts";
import { parseProblemText } from "../problem/read-problem.ts";
import { runDesign } from "./design-run.ts";
import { candidateRows } from "./finish-design.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet-design-after-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function run(name: string, noise: string, budget: number) {
  const problemText = [
    ...["alphabet: AB", "length: 8", "oracle: { landscape: nk, k: 1 }"],
    ...[`noise: { when: after, ${noise} }`, "training: { hidden: [8], batch: 16, collectBatch: 8 }"],
  ].join("\n");
  const { problem } = await parseProblemText(problemText, { source: name, folder: base });
  const folder = join(base, name);
  const result = await runDesign({ problem, problemText, folder, budget, iterations: 40 });
  const rows = await candidateRows(result, { problem, candidates: 20, radius: 1 });
  await result.trained.dispose();
  return { rows, calls: result.calls, scored: result.scored.length };
}

test("expected scores are exact sums if everything that a design turns into has a score", async () => {
  const { rows } = await run("exact", "substitution: { A: { B: 0.25 } }", 256);
  const landscape = nkLandscape({ letters: 2, length: 8, neighbours: 1, seed: 0 });
  /** Each A stays with probability 3/4. */
  const expected = (letters: readonly number[], place = 0): number => {
    const at = letters.indexOf(0, place);
    if (at < 0) return landscape.score(letters) ?? Number.NaN;
    return 0.75 * expected(letters, at + 1) + 0.25 * expected(letters.with(at, 1), at + 1);
  };
  expect(rows).toHaveLength(20);
  for (const { string, expectedScore, expectedScoreError } of rows) {
    expect(expectedScore).toBeCloseTo(expected(Array.from(string, (letter) => "AB".indexOf(letter))), 12);
    expect(expectedScoreError).toBeNull();
  }
});

test("expected scores are exact with insertions and deletions too, if every legal string has a score", async () => {
  const { rows, calls } = await run("indels", "insertion: 0.01, deletion: 0.02", 256);
  expect(calls).toBe(256);
  const errors = channel({ letters: 2, insertion: 0.01, deletion: 0.02 });
  const landscape = nkLandscape({ letters: 2, length: 8, neighbours: 1, seed: 0 });
  const lettersOf = (string: string) => Array.from(string, (letter) => "AB".indexOf(letter));
  const all = Array.from({ length: 256 }, (_, i) =>
    lettersOf(i.toString(2).padStart(8, "0").replaceAll("0", "A").replaceAll("1", "B")),
  );
  expect(rows).toHaveLength(20);
  for (const { string, expectedScore, expectedScoreError } of rows) {
    const design = lettersOf(string);
    const sum = all.reduce(
      (total, x) => total + Math.exp(errors.logProbability(x, design)) * (landscape.score(x) ?? Number.NaN),
      0,
    );
    expect(expectedScore).toBeCloseTo(sum, 12);
    expect(expectedScoreError).toBeNull();
  }
});

test("a design that is started again makes no calls and has the same candidates, whose scores are estimated", async () => {
  const noise = "stick: 0.2, insertion: 0.05, deletion: 0.05";
  const first = await run("estimated", noise, 150);
  expect(first.rows.length).toBeGreaterThan(3);
  expect(first.rows.every(({ expectedScoreError }) => expectedScoreError !== null)).toBe(true);
  expect(first.calls).toBeLessThan(150);
  expect(await run("estimated", noise, 150)).toEqual(first);
});
