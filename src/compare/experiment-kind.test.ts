// Tests of experiments as units: one that is paused, and continued by another process, has the records of one that is not.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../executor/unit.ts";
import { UnitProcess } from "../executor/unit-process.ts";
import { comparisonFromInput } from "./comparison-input.ts";
import { experimentKind } from "./experiment-kind.ts";
import { experimentUnit } from "./experiment-unit.ts";

const SMALL = { task: "hypergrid", side: 4, hidden: [8], batch: 16, dynamicsHidden: [4] };
const input = (name: string) => {
  throw new Error(`there is no input ${name}`);
};

async function unitOf(method: string) {
  const options = { calls: 320, evaluations: 10, methods: [method] };
  const comparison = await comparisonFromInput(SMALL, options);
  return experimentUnit(comparison, { method, stick: 0.25, seed: 1 });
}

/** The other process. It starts slowly, because it compiles TypeScript, so all tests use the same one. */
let other: UnitProcess;
beforeAll(() => {
  other = new UnitProcess({
    module: new URL("../cli/unit-worker.ts", import.meta.url),
    environment: { ...process.env, NODE_OPTIONS: "--import tsx" },
  });
});
afterAll(() => other.close());

interface Part {
  readonly records: readonly Json[];
  readonly checkpoint: Uint8Array | null;
  readonly paused: boolean;
}

/** Runs an experiment from a checkpoint until it ends, or until it has this many new records and is paused. */
async function runPart(settings: JsonObject, checkpoint: Uint8Array | null, most: number): Promise<Part> {
  const pause = new AbortController();
  const records: Json[] = [];
  let [last, paused] = [checkpoint, false];
  for await (const output of experimentKind.run(settings, { input, checkpoint, pause: pause.signal })) {
    if (output.kind === "record" && records.push(output.record) === most) pause.abort();
    if (output.kind === "checkpoint") last = output.bytes;
    if (output.kind === "paused") paused = true;
  }
  return { records, checkpoint: last, paused };
}

const untimed = (records: readonly Json[]) =>
  records.map((record) => ({ ...(record as JsonObject), seconds: undefined }));

describe.each(["kl-entropy", "sdb", "soft-q", "ppo", "metropolis", "evolution", "random"])("%s", (method) => {
  test("has the same records if it is paused three times and ends in another process", async () => {
    const unit = await unitOf(method);
    const whole = await runPart(unit.settings, null, Number.POSITIVE_INFINITY);
    expect(whole.paused).toBe(false);
    const records: Json[] = [];
    let checkpoint: Uint8Array | null = null;
    for (const most of [1, 3, 2]) {
      const part: Part = await runPart(unit.settings, checkpoint, most);
      expect([part.paused, part.records.length]).toEqual([true, most]);
      records.push(...part.records);
      checkpoint = part.checkpoint;
    }
    const request = { kind: "run", unit, files: {}, checkpoint, version: "1.0.0" } as const;
    const end = await other.run(request, () => {}, { earlier: records });
    if (end.kind !== "finished") throw new Error(`it ended as ${JSON.stringify(end)}`);
    expect(untimed(end.records)).toEqual(untimed(whole.records));
    const seconds = end.records.map((record) => (record as { readonly seconds: number }).seconds);
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
    const learned = !["metropolis", "evolution", "random"].includes(method);
    expect(end.provenance).toMatchObject({
      version: "1.0.0",
      engine: learned ? "native" : null,
      threads: 1,
    });
  }, 180_000);
});

test("a unit that is paused before it starts keeps its checkpoint", async () => {
  const { settings } = await unitOf("random");
  const { checkpoint } = await runPart(settings, null, 2);
  const outputs = [];
  const context = { input, checkpoint, pause: AbortSignal.abort() };
  for await (const output of experimentKind.run(settings, context)) outputs.push(output);
  expect(outputs).toEqual([{ kind: "checkpoint", bytes: checkpoint }, { kind: "paused" }]);
});

test("a checkpoint that is damaged, or of another experiment, is refused with a sentence", async () => {
  const { settings } = await unitOf("kl");
  const { checkpoint } = await runPart(settings, null, 2);
  const damaged = (checkpoint as Uint8Array).slice();
  damaged[damaged.length - 1] ^= 1;
  await expect(runPart(settings, damaged, 1)).rejects.toThrow("is damaged: its checksum is wrong");
  await expect(runPart({ ...settings, seed: 2 }, checkpoint, 1)).rejects.toThrow(
    "seed is 1 in the checkpoint and 2 in this run",
  );
  const { settings: other } = await unitOf("metropolis");
  await expect(runPart(other, checkpoint, 1)).rejects.toThrow("must be the state of metropolis");
});
