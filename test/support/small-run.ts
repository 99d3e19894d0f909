// Options of very small training runs, and of a run that uses every feature whose state a checkpoint must save.

import { RandomStream } from "../../src/engine/index.ts";
import type { Environment } from "../../src/gfn/environment/environment.ts";
import { sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { OBJECTIVES } from "../../src/gfn/objectives/objective.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/gfn/training/checkpoint.ts";
import { defaultSettings } from "../../src/gfn/training/defaults.ts";
import type { Snapshot } from "../../src/gfn/training/snapshot.ts";
import type { TrainOptions } from "../../src/gfn/training/train.ts";

export const strings = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
/** No off-policy rows. */
export const ON_POLICY = { uniformShare: 0, offlineShare: 0, replayShare: 0 };
export const ITERATIONS = 12;

export type Changes = Partial<Omit<TrainOptions, "environment">> & { environment?: Environment };

export function smallRun({ environment = strings, ...changes }: Changes = {}): TrainOptions {
  return {
    ...defaultSettings(environment),
    environment,
    scores: randomScores(27),
    batch: 16,
    hidden: [8],
    stateTableRows: 40,
    stateTableRateScale: 1,
    dynamicsHidden: [4],
    ...ON_POLICY,
    iterations: ITERATIONS,
    evaluateEvery: 4,
    samples: 30,
    seed: 3,
    engine: "native",
    ...changes,
  };
}

/** Settings that use every random stream and every buffer; the buffers overflow after a few iterations. */
export const everything: Changes = {
  ...OBJECTIVES.stb,
  uniformShare: 0.2,
  offlineShare: 0.2,
  replayShare: 0.3,
  offlineObjects: ["ACG", "GGA", "CCC"],
  replayCapacity: 20,
  replayPriority: 1,
  dynamicsReplayCapacity: 24,
  dynamicsReplayBatch: 8,
  dynamicsReplayRounds: 2,
  epsilon: { from: 0.3, to: 0 },
  temperature: { from: 2, to: 1 },
  learnLogZ: true,
  logZInitial: 1,
  rewardExponent: 2,
  rewardFloor: 1e-3,
  rewardRamp: 5,
};

/** Encodes and decodes a snapshot. */
export function reread(snapshot: Snapshot): Snapshot {
  return decodeCheckpoint(encodeCheckpoint(snapshot), "test.safetensors");
}

/** Scores strings of A, C and G. */
export function ask(texts: readonly string[]): number[] {
  return texts.map((text) => [...text].reduce((sum, letter) => sum * 0.7 + "ACG".indexOf(letter), 0.1));
}

export function randomScores(count: number): Float64Array {
  const stream = RandomStream.fromSeed(11);
  return Float64Array.from({ length: count }, () => Math.exp(stream.normal()));
}
