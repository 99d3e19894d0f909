// The learning rate of a training stage: a linear warm-up, then half a cosine wave down to a twentieth.

import { type Schedule, scheduleAt } from "../../nn/index.ts";

export interface LearningRateOptions {
  /** The highest learning rate. */
  readonly learningRate: number;
  readonly iterations: number;
}

/** The learning rate at a step, counted from 0. */
export function learningRateAt({ learningRate, iterations }: LearningRateOptions, step: number): number {
  const warmUpSteps = Math.min(50, Math.ceil(iterations / 10));
  const warmUp = Math.min((step + 1) / warmUpSteps, 1);
  const decay: Schedule = { from: learningRate, to: learningRate / 20, shape: "cosine" };
  const decaySteps = Math.max(1, iterations - warmUpSteps);
  return warmUp * scheduleAt(decay, Math.max(step - warmUpSteps, 0) / decaySteps);
}
