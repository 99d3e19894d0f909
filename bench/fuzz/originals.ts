// Files that are right, before they are damaged.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config, TaskName } from "../../src/cli/config/keys.ts";
import { completeConfig, configText, taskOf, trainOptionsOf } from "../../src/cli/config.ts";
import { encodeCheckpoint } from "../../src/gfn/checkpoint.ts";
import { type TrainOptions, train } from "../../src/gfn/train.ts";
import { writeLine } from "../../src/run/metrics-lines.ts";
import { EIGHT_MERS, reverseComplement, sequenceAt } from "../../src/tasks/tfbind8/eight-mers.ts";
import { surrogateTable } from "../../src/tasks/tfbind8/surrogate.ts";
import type { NamedFiles } from "./config.ts";

/** A protein-binding-microarray file of all strings, both strands in each line, out of the surrogate's scores. */
export function tableText(): string {
  const scores = surrogateTable();
  const lines = ["8-mer\t8-mer\tE-score\tMedian\tZ-score"];
  for (let index = 0; index < EIGHT_MERS; index++) {
    const other = reverseComplement(index);
    if (index > other) continue;
    const score = scores[index] - 0.5;
    const columns = [score.toFixed(5), (1000 * (1 + score)).toFixed(2), (3 * score).toFixed(4)];
    lines.push([sequenceAt(index), sequenceAt(other), ...columns].join("\t"));
  }
  return `${lines.join("\n")}\n`;
}

/** A small run that has every part that a run may have. */
const RUN: Config = {
  task: "bit-sequence",
  bits: 6,
  word: 2,
  modes: 3,
  objective: "stb",
  ownLogZ: true,
  hidden: [8],
  dynamicsHidden: [4],
  batch: 8,
  epsilon: { from: 0.3, to: 0 },
  uniformShare: 0.2,
  replayShare: 0.3,
  replayCapacity: 20,
  replayPriority: 1,
  dynamicsReplayCapacity: 24,
  dynamicsReplayEpisodes: 8,
  iterations: 12,
  evaluateEvery: 4,
  checkpointEvery: 5,
  engine: "native",
};

export interface OriginalRun {
  readonly options: TrainOptions;
  readonly config: string;
  readonly metrics: string;
  readonly checkpoint: Uint8Array;
  /** Of the checkpoint, which is not the last. */
  readonly iteration: number;
}

export async function originalRun(): Promise<OriginalRun> {
  const config = await completeConfig(RUN);
  const options = await trainOptionsOf(config, await taskOf(config));
  const lines: string[] = [];
  const checkpoints: Uint8Array[] = [];
  for await (const event of train({ ...options, checkpointEvery: config.checkpointEvery })) {
    if (event.kind === "checkpoint") checkpoints.push(encodeCheckpoint(event.snapshot));
    else lines.push(writeLine(event));
  }
  return {
    options,
    config: configText(config),
    metrics: lines.join(""),
    checkpoint: checkpoints[0],
    iteration: config.checkpointEvery,
  };
}

/** Writes files that configs may name. */
export async function writeNamedFiles(folder: string): Promise<NamedFiles> {
  await mkdir(folder, { recursive: true });
  const objects: Record<TaskName, string> = {
    tfbind8: "ACGTACGT\nTTTTTTTT\n",
    hypergrid: "0,0\n1,1\n0,1\n",
    "bit-sequence": "00000000\n01010101\n",
    regime: "ACAAA\nTTTTT\n",
    pricing: "Dl\nUl\n",
  };
  const known = {} as Record<TaskName, string>;
  for (const [task, text] of Object.entries(objects) as [TaskName, string][]) {
    known[task] = join(folder, `known-${task}.txt`);
    await writeFile(known[task], text);
  }
  const table = join(folder, "table.txt");
  await writeFile(table, tableText());
  return { table, known };
}
