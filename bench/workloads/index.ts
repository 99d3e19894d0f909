// All workloads by name. The scripts in bench/rivals use the same names.

import { gemm } from "./gemm.ts";
import { gflownetIteration } from "./gflownet-iteration.ts";
import { mlpStep } from "./mlp-step.ts";
import { peerWorkloads } from "./peer-training.ts";
import {
  defaultTraining,
  halvedDefaultTraining,
  largeTraining,
  longThoughtTraining,
  longTraining,
  plainTraining,
  thoughtTraining,
} from "./training-iteration.ts";
import type { Workload } from "./workload.ts";

export const workloads = {
  "mlp-step": mlpStep,
  "gflownet-iteration": gflownetIteration,
  gemm,
  "training-default": defaultTraining,
  "training-default-half": halvedDefaultTraining,
  "training-plain": plainTraining,
  "training-thought": thoughtTraining,
  "training-large": largeTraining,
  "training-long": longTraining("training-long"),
  "training-long-100": longTraining("training-long-100"),
  "training-long-256": longTraining("training-long-256"),
  "training-long-thought": longThoughtTraining,
  ...peerWorkloads,
} satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof workloads;
