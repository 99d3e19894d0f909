// Design runs on disk that are killed while strings are in flight, and continued: which bits are the same, and which calls
// are made twice. What a kill leaves behind is a copy of the folder at the moment at which the oracle gets a batch.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeCheckpoint } from "../gfn/training/checkpoint.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { functionOracle } from "../oracle/function-oracle.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { readProblem } from "../problem/read-problem.ts";
import { DESIGN_FILES } from "./design-folder.ts";
import { runDesign } from "./design-run.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet-design-run-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const scoreOf = (string: string) => 0.01 + ((string.split("A").length - 1) / string.length) ** 4;
/** Two batches are in flight at a time, and the second of two answers first. */
const [BATCH, WORKERS] = [4, 2];
/** Is called when the oracle gets a batch. */
let onBatch: (() => void) | undefined;
function testOracle(): Oracle {
  let count = 0;
  return functionOracle({
    ...{ label: "a test", version: "1", batch: BATCH, concurrency: WORKERS },
    async scores(strings) {
      onBatch?.();
      const delay = count++ % 2 === 0 ? 8 : 0;
      await new Promise((done) => setTimeout(done, delay));
      return strings.map(scoreOf);
    },
  });
}
/** More iterations than lie between two checkpoints, so that late kills have a checkpoint. */
const ITERATIONS = 560;

/** Many rollouts, so that strings are in flight at different stages of the training. */
const SMALL_ROLLOUTS = { collectBatch: 16 };

/** What a design is compared by: its checkpoint with all scores in the order of their use, its strings and its calls. */
async function run(name: string, file: string, budget: number) {
  const folder = join(base, name);
  const { problem } = await readProblem(file);
  let resumedAt: number | null = null;
  const { trained, calls, scored, mode } = await runDesign({
    problem: { ...problem, training: { ...problem.training, ...SMALL_ROLLOUTS } },
    oracle: testOracle(),
    ...{ problemText: readFileSync(file, "utf8"), folder, budget, iterations: ITERATIONS },
    onEvent(event) {
      if (event.kind === "ready") resumedAt = event.resumedAt;
    },
  });
  await trained.dispose();
  const path = join(folder, DESIGN_FILES.run, "checkpoint.safetensors");
  const { seconds, ...checkpoint } = decodeCheckpoint(readFileSync(path), path);
  return { state: { checkpoint, scored, mode }, calls, resumedAt, sent: sentIn(name) };
}

/** Strings that the journal says were sent, one entry per call. */
function sentIn(name: string): string[] {
  const lines = readFileSync(join(base, name, DESIGN_FILES.journal), "utf8")
    .trimEnd()
    .split("\n");
  return lines.flatMap((line) => JSON.parse(line).sent ?? []);
}

/** Runs a design and copies its folder whenever the oracle gets a batch. */
async function runWithKills(name: string, file: string, budget: number) {
  const kills: string[] = [];
  onBatch = () => {
    kills.push(`${name}-${kills.length}`);
    // The process that is killed no longer holds a lock.
    cpSync(join(base, name), join(base, kills.at(-1) as string), {
      recursive: true,
      filter: (path) => !path.endsWith(".lock"),
    });
  };
  try {
    return { ...(await run(name, file, budget)), kills };
  } finally {
    onBatch = undefined;
  }
}

/** The strings of a data set with their scores, in the order of their use. */
function usedIn({ oracle }: Pick<Snapshot, "oracle">): { readonly string: string; readonly score: number }[] {
  return (oracle?.objects ?? []).map((string, i) => ({ string, score: oracle?.scores[i] as number }));
}

/** Puts the answers in the journal into the reverse of the order in which they arrived. */
function reverseAnswers(name: string): void {
  const file = join(base, name, DESIGN_FILES.journal);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const answers = lines.filter((line) => line.startsWith('{"answers"'));
  const others = lines.filter((line) => !line.startsWith('{"answers"'));
  writeFileSync(file, `${[...others, ...answers.reverse()].join("\n")}\n`);
}

/** Some of many, the first and the last included. */
const some = <T>(all: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, i) => all[Math.round((i * (all.length - 1)) / (count - 1))]);

describe("a design that was killed while strings were in flight", () => {
  const file = join(base, "problem.yaml");
  beforeAll(() => {
    const training = "{ hidden: [8], batch: 16, epsilon: 0 }";
    const lines = ["alphabet: DNA", "length: 4", `training: ${training}`];
    writeFileSync(file, `${lines.join("\n")}\n`);
  });

  test("ends with the same bits if the budget covers the strings that are sent twice", async () => {
    // Fewer strings than all are asked for, and the policy finds fewer than these.
    const budget = 254;
    const whole = await runWithKills("spare", file, budget);
    expect(whole.state.mode).toBe("data-set");
    expect(whole.calls).toBeLessThanOrEqual(budget - BATCH * WORKERS);
    const kills = some(whole.kills, 4);
    reverseAnswers(kills[1]);
    const resumedAt: (number | null)[] = [];
    for (const name of kills) {
      const before = sentIn(name);
      const again = await run(name, file, budget);
      expect(again.state).toEqual(whole.state);
      expect(again.sent.slice(0, before.length)).toEqual(before);
      const twice = again.calls - whole.calls;
      expect(twice).toBeGreaterThan(0);
      expect(twice).toBeLessThanOrEqual(BATCH * WORKERS);
      resumedAt.push(again.resumedAt);
    }
    expect([resumedAt[0], resumedAt.at(-1)]).toEqual([null, 500]);
  }, 120_000);

  test("has no score for as many of the last strings if the budget does not cover them", async () => {
    const budget = 60;
    const whole = await runWithKills("scarce", file, budget);
    expect(whole.calls).toBe(budget);
    for (const name of some(whole.kills, 3)) {
      const again = await run(name, file, budget);
      expect([again.calls, again.sent.length]).toEqual([budget, budget]);
      const { scored } = again.state;
      for (const { string, score } of scored) expect(score).toBe(scoreOf(string));
      const missing = budget - scored.length;
      expect(missing).toBeGreaterThan(0);
      expect(missing).toBeLessThanOrEqual(BATCH * WORKERS);
      const used = usedIn(again.state.checkpoint);
      expect(used.filter(({ score }) => Number.isNaN(score))).toHaveLength(missing);
      // Up to the first string without a score, the run is the same; it is among the last ones.
      const first = used.findIndex(({ score }) => Number.isNaN(score));
      expect(used.slice(0, first)).toEqual(usedIn(whole.state.checkpoint).slice(0, first));
      expect(first).toBeGreaterThanOrEqual(scored.length - BATCH * WORKERS);
    }
  }, 120_000);
});
