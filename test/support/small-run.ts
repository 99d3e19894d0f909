// Runs so small that many can be made, with every part that a run may have.

import { RandomStream } from "../../src/engine/index.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/gfn/checkpoint.ts";
import { defaultSettings } from "../../src/gfn/defaults.ts";
import type { Environment } from "../../src/gfn/environment.ts";
import { sequenceEnvironment } from "../../src/gfn/environments/sequence.ts";
import { OBJECTIVES } from "../../src/gfn/objectives/choice.ts";
import type { Snapshot } from "../../src/gfn/snapshot.ts";
import type { TrainOptions } from "../../src/gfn/train.ts";

export const strings = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
export const NO_MIXTURE = { uniform: 0, offline: 0, replay: 0 };
export const ITERATIONS = 12;

export type Changes = Partial<Omit<TrainOptions, "environment">> & { environment?: Environment };

export function smallRun({ environment = strings, ...changes }: Changes = {}): TrainOptions {
  return {
    ...defaultSettings(environment),
    environment,
    scores: randomScores(27),
    batch: 16,
    policy: { hidden: [8], memoryRows: 40 },
    dynamics: { hidden: [4] },
    mixture: NO_MIXTURE,
    iterations: ITERATIONS,
    evaluateEvery: 4,
    samples: 30,
    seed: 3,
    engine: "native",
    ...changes,
  };
}

/** Every stream is drawn from, and every buffer has gone round after a few iterations. */
export const everything: Changes = {
  objective: OBJECTIVES.stb,
  mixture: { uniform: 0.2, offline: 0.2, replay: 0.3 },
  known: ["ACG", "GGA", "CCC"],
  replay: { capacity: 20, priority: 1 },
  dynamicsReplay: { capacity: 24, episodes: 8, rounds: 2 },
  exploration: { epsilon: { from: 0.3, to: 0 }, temperature: { from: 2, to: 1 } },
  logZ: { initial: 1 },
  reward: { exponent: 2, floor: 1e-3, ramp: 5 },
};

/** A snapshot through bytes and back. */
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
