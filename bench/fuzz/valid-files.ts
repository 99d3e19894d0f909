// Creates valid files, which other modules damage and which random configs refer to.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, completeConfig, configText, taskOf, trainOptionsOf } from "../../src/config/index.ts";
import { encodeCheckpoint } from "../../src/gfn/training/checkpoint.ts";
import { type TrainOptions, train } from "../../src/gfn/training/train.ts";
import { formatEvent } from "../../src/run/event-lines.ts";
import { EIGHT_MERS, reverseComplement, sequenceAt } from "../../src/tasks/tfbind8/eight-mers.ts";
import { surrogateTable } from "../../src/tasks/tfbind8/surrogate.ts";
import type { InputFiles } from "./random-config.ts";

/** A binding table of all 8-mers in the format of protein-binding microarrays, with scores of the surrogate. */
export function bindingTableText(): string {
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

/** A small run whose checkpoint has every optional part. */
const RUN: Config = {
  task: "bit-sequence",
  bits: 6,
  word: 2,
  modes: 3,
  objective: "stb",
  learnLogZ: true,
  hidden: [8],
  dynamicsHidden: [4],
  batch: 8,
  epsilon: { from: 0.3, to: 0 },
  uniformShare: 0.2,
  replayShare: 0.3,
  replayCapacity: 20,
  replayPriority: 1,
  dynamicsReplayCapacity: 24,
  dynamicsReplayBatch: 8,
  iterations: 12,
  evaluateEvery: 4,
  checkpointEvery: 5,
  engine: "native",
};

export interface ValidRun {
  readonly options: TrainOptions;
  readonly config: string;
  readonly metrics: string;
  readonly checkpoint: Uint8Array;
  /** Iteration of the checkpoint, which is before the end of the run. */
  readonly iteration: number;
}

export async function trainValidRun(): Promise<ValidRun> {
  const config = await completeConfig(RUN);
  const options = await trainOptionsOf(config, await taskOf(config));
  const lines: string[] = [];
  const checkpoints: Uint8Array[] = [];
  for await (const event of train({ ...options, checkpointEvery: config.checkpointEvery })) {
    if (event.kind === "checkpoint") checkpoints.push(encodeCheckpoint(event.snapshot));
    else lines.push(formatEvent(event));
  }
  return {
    options,
    config: configText(config),
    metrics: lines.join(""),
    checkpoint: checkpoints[0],
    iteration: config.checkpointEvery,
  };
}

/** Writes the files that random configs refer to. */
export async function writeInputFiles(folder: string): Promise<InputFiles> {
  await mkdir(folder, { recursive: true });
  const objects: Record<string, string> = {
    tfbind8: "ACGTACGT\nTTTTTTTT\n",
    hypergrid: "0,0\n1,1\n0,1\n",
    "bit-sequence": "00000000\n01010101\n",
    regime: "ACAAA\nTTTTT\n",
    pricing: "Dl\nUl\n",
    table: "AB\nBB\n",
  };
  const offline: Record<string, string> = {};
  for (const [task, text] of Object.entries(objects)) {
    offline[task] = join(folder, `offline-${task}.txt`);
    await writeFile(offline[task], text);
  }
  const table = join(folder, "table.txt");
  await writeFile(table, bindingTableText());
  const scores = join(folder, "scores.csv");
  await writeFile(scores, "string,score\nAA,1\nAB,2\nBB,0.5\n");
  return { table, scores, offline };
}
