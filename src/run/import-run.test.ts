// Playground files become runs that continue as if they had never been stopped.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CompleteConfig, Config } from "../config/config.ts";
import { type FilledConfig, withDefaults } from "../config/fill-defaults.ts";
import { problemOf } from "../config/problem-of.ts";
import { settingsOf } from "../config/train-options.ts";
import { type PlaygroundFile, writePlaygroundFile } from "../formats/playground-file.ts";
import { encodeCheckpoint } from "../gfn/training/checkpoint.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { type TrainOptions, train } from "../gfn/training/train.ts";
import { UserError } from "../issues.ts";
import { decodePng } from "../tasks/hypergrid/decode-png.ts";
import { hypergridTask } from "../tasks/hypergrid/index.ts";
import { tableTask } from "../tasks/table/index.ts";
import type { Task } from "../tasks/task.ts";
import { importRun } from "./import-run.ts";
import { finishRun, resumeRun, trainRun } from "./train-run.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-import-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The number of iterations, and when the playground file is written. */
const [ITERATIONS, WRITTEN] = [40, 20];
const SMALL = { hidden: [8], batch: 8, iterations: ITERATIONS, evaluateEvery: 10, logEvery: 1, samples: 10 };

/** Trains as the page does, and returns its events with the checkpoints. */
async function trained(config: FilledConfig, { environment, scores }: Task): Promise<TrainEvent[]> {
  const events: TrainEvent[] = [];
  const options: TrainOptions = {
    ...settingsOf(config as CompleteConfig),
    ...{ environment, scores, seed: config.seed as number, iterations: ITERATIONS },
    ...{ problem: problemOf(config), evaluateEvery: 10, checkpointEvery: WRITTEN },
  };
  for await (const event of train(options)) events.push(event);
  return events;
}

/** The playground file after some iterations. */
function fileAfter(
  iterations: number,
  events: readonly TrainEvent[],
  rest: Pick<PlaygroundFile, "config" | "data">,
): PlaygroundFile {
  const end = events.findIndex((event) => event.kind === "checkpoint" && event.iteration === iterations);
  const last = events[end];
  if (last?.kind !== "checkpoint") throw new Error("there is no such checkpoint");
  const metrics = events.slice(0, end).filter(({ kind }) => kind !== "checkpoint");
  return { ...rest, checkpoint: encodeCheckpoint(last.snapshot), metrics };
}

const lossesOf = (events: readonly TrainEvent[]) =>
  events.flatMap((event) =>
    event.kind === "iteration" ? [[event.iteration, event.loss, event.gradientNorm]] : [],
  );
const evaluationsOf = (events: readonly TrainEvent[]) =>
  events.flatMap((event) =>
    event.kind === "evaluation" && event.exact ? [[event.iteration, event.reached, event.limit]] : [],
  );

const CODONS = readFileSync("examples/table/codons.csv");
const RING = readFileSync("examples/hypergrid/ring.png");
const PROBLEMS: Readonly<
  Record<string, { readonly config: Config; readonly task: Task; readonly data?: PlaygroundFile["data"] }>
> = {
  "a formula": {
    config: { task: "hypergrid", side: 5, stick: 0.25, reward: "x1 + 2 * (x2 > .5)" },
    task: hypergridTask({ side: 5, stick: 0.25, reward: "x1 + 2 * (x2 > .5)" }),
  },
  "a picture": {
    config: { task: "hypergrid", side: 5, stick: 0.25, picture: "ring.png" },
    task: hypergridTask({ side: 5, stick: 0.25, picture: decodePng(RING, "ring.png") }),
    data: { picture: { name: "ring.png", bytes: RING } },
  },
  "a table": {
    config: { task: "table", stick: 0.1, scores: "codons.csv", alphabet: "ACGU", length: 3 },
    task: tableTask({ stick: 0.1, table: String(CODONS), source: "codons.csv" }),
    data: { scores: { name: "codons.csv", bytes: CODONS } },
  },
};

describe.each(Object.entries(PROBLEMS))("a playground file of %s", (name, { config: given, task, data }) => {
  let events: TrainEvent[];
  let config: FilledConfig;
  let file: string;
  beforeAll(async () => {
    config = await withDefaults({ ...SMALL, ...given });
    events = await trained(config, task);
    file = join(folder, `${name}.json`);
    writeFileSync(file, writePlaygroundFile(fileAfter(WRITTEN, events, { config, data })));
  });

  test("becomes a run that continues with the same losses, metrics and parameters to the bit", async () => {
    const out = join(folder, name);
    const imported = await importRun(file, out);
    expect(imported.snapshot.iteration).toBe(WRITTEN);
    expect(imported.task.scores).toEqual(task.scores);
    const before = await imported.run.readMetrics();
    expect(before.map(({ kind }) => kind)).not.toContain("end");
    expect(lossesOf(before)).toHaveLength(WRITTEN);

    const open = await resumeRun(out);
    const training = trainRun(open);
    let state = await training.next();
    while (!state.done) state = await training.next();
    const { snapshot } = state.value;
    const { metrics } = await finishRun(open, snapshot!);
    const after = await open.run.readMetrics();
    await open.run.close();
    expect(lossesOf(after)).toEqual(lossesOf(events));
    expect(lossesOf(after)).toHaveLength(ITERATIONS);
    expect(evaluationsOf(after)).toEqual(evaluationsOf(events));
    const last = events.findLast((event) => event.kind === "checkpoint");
    expect(snapshot!.tensors).toEqual(last?.kind === "checkpoint" && last.snapshot.tensors);
    expect(metrics).toMatchObject({ exact: true, iterations: ITERATIONS });
    expect(readdirSync(out).sort()).toEqual(
      [
        "checkpoint.safetensors",
        "config.json",
        ...Object.keys(data ?? {}).map((option) => `data-${option}`),
        "metrics.jsonl",
        "samples.csv",
      ].sort(),
    );
  });

  test("has its data in the run, and names nothing outside", async () => {
    const out = join(folder, `${name} again`);
    await importRun(file, out);
    const written = JSON.parse(readFileSync(join(out, "config.json"), "utf8"));
    for (const [option, { bytes }] of Object.entries(data ?? {})) {
      expect(written[option]).toBe(join(out, `data-${option}`));
      expect(readFileSync(written[option]).equals(bytes)).toBe(true);
    }
    expect(existsSync(join(out, "run.lock"))).toBe(false);
  });
});

describe("a playground file is refused, and no folder remains, if", () => {
  let good: PlaygroundFile;
  beforeAll(async () => {
    const { config: given, task } = PROBLEMS["a formula"];
    const config = await withDefaults({ ...SMALL, ...given });
    good = fileAfter(WRITTEN, await trained(config, task), { config });
  });

  const refusal = async (change: (file: PlaygroundFile) => PlaygroundFile | string): Promise<string> => {
    const file = join(folder, "bad.json");
    const changed = change(good);
    writeFileSync(file, typeof changed === "string" ? changed : writePlaygroundFile(changed));
    const out = join(folder, "refused");
    const error = await importRun(file, out).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(existsSync(out)).toBe(false);
    return (error as UserError).message.replaceAll(`${folder}/`, "");
  };
  const configWith = (changes: object) => (file: PlaygroundFile) => ({
    ...file,
    config: { ...file.config, ...changes },
  });
  const table = (text: string) => (file: PlaygroundFile) => ({
    ...configWith({
      task: "table",
      scores: "x.csv",
      side: undefined,
      dimensions: undefined,
      reward: undefined,
      r0: undefined,
      r1: undefined,
      r2: undefined,
    })(file),
    data: { scores: { name: "x.csv", bytes: new TextEncoder().encode(text) } },
  });

  test.each<[string, (file: PlaygroundFile) => PlaygroundFile | string, string]>([
    [
      "it is cut off",
      (file) => writePlaygroundFile(file).slice(0, 5000),
      "bad.json: it is not a whole JSON file",
    ],
    [
      "its checkpoint does not fit its config",
      configWith({ side: 6 }),
      "bad.json: the checkpoint does not fit this run: side is 5 in the checkpoint and 6 in its config; download it from the playground again",
    ],
    [
      "its checkpoint belongs to another formula",
      configWith({ reward: "x1" }),
      "the checkpoint does not fit this run: reward is x1 + 2 * (x2 > .5) in the checkpoint and x1 in its config",
    ],
    [
      "its checkpoint is damaged",
      (file) => ({
        ...file,
        checkpoint: file.checkpoint.map((byte, i, all) => (i === all.length >> 1 ? byte ^ 1 : byte)),
      }),
      "bad.json: its checkpoint is a damaged checkpoint: its checksum is wrong; download it",
    ],
    [
      "its checkpoint is cut off",
      (file) => ({ ...file, checkpoint: file.checkpoint.slice(0, 900) }),
      "bad.json: its checkpoint",
    ],
    [
      "its checkpoint is something else",
      (file) => ({ ...file, checkpoint: Uint8Array.of(1, 2, 3) }),
      "bad.json: its checkpoint",
    ],
    ["a setting is wrong", configWith({ batch: -1 }), "bad.json: batch: must be a whole number"],
    ["a setting is unknown", configWith({ evil: 1 }), "bad.json: evil: there is no such setting"],
    ["its task is unknown", configWith({ task: "custom" }), "task: must be one of tfbind8, hypergrid"],
    [
      "its formula is wrong",
      configWith({ reward: "1 / i1" }),
      "reward: must be finite and not negative in every cell",
    ],
    [
      "it names a file of this machine",
      configWith({ offlineFile: "/etc/passwd" }),
      'bad.json: config.offlineFile names the file "/etc/passwd", but a playground file must have the content of each file in data; it is not read',
    ],
    [
      "it has data for no option",
      (file) => ({ ...file, data: { "../x": { name: "x", bytes: Uint8Array.of(1) } } }),
      'bad.json: data has a file for "../x", which is no option of its config that names a file',
    ],
    [
      "its table is wrong",
      table("AA,1\nAA,2\n"),
      'bad.json: scores: data.scores, line 2: "AA" is also in line 1',
    ],
    [
      "an event goes back",
      (file) => ({ ...file, metrics: [...file.metrics, { kind: "iteration", iteration: 3 } as never] }),
      ".iteration must be a whole number of at least 20, that of the event before, got 3",
    ],
    [
      "an event lacks its loss",
      (file) => ({ ...file, metrics: [{ kind: "iteration", iteration: 3 } as never] }),
      "bad.json: metrics[0].loss must be a number, as in every event of kind iteration",
    ],
  ])("%s", async (_, change, message) => {
    expect(await refusal(change)).toContain(message);
  });

  test("the file does not exist, or the folder is not empty", async () => {
    await expect(importRun(join(folder, "none.json"))).rejects.toThrow(
      "none.json cannot be read: it does not exist",
    );
    writeFileSync(join(folder, "good.json"), writePlaygroundFile(good));
    await expect(importRun(join(folder, "good.json"), folder)).rejects.toThrow(
      "is not empty; choose another name",
    );
  });
});
