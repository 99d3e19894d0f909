// Trains a GFlowNet over token paths: one call of a compiled program per iteration. Random numbers are generated on the
// host.

import { compile, type EngineName, RandomStream, type TypedArray } from "../../engine/index.ts";
import { type Issue, throwIssues } from "../../issues.ts";
import { checkSizes } from "../../nn/checks.ts";
import { isConstant, type Schedule, scheduleAt } from "../../nn/index.ts";
import { type BatchComposition, batchCompositionIssues, batchRows } from "./batch-composition.ts";
import { contextInputs } from "./context-arrays.ts";
import { type FlowModel, type FlowNetworkOptions, flowModel } from "./flow-model.ts";
import { FLOW_STATE, flowIteration } from "./iteration.ts";
import type { FlowObjective } from "./objective.ts";
import type { FlowProblem } from "./problem.ts";
import { uniformsPerStep } from "./rollout.ts";

/** Settings of training a GFlowNet over token paths. */
export interface FlowSettings {
  readonly network: FlowNetworkOptions;
  /** Default: detailed balance in the marginal form with the squared loss. */
  readonly objective?: Partial<FlowObjective>;
  /** Contexts per iteration. */
  readonly contexts: number;
  /** Paths per context. Default: 1. */
  readonly paths?: number;
  /** Default: all paths are on-policy. */
  readonly batchComposition?: BatchComposition;
  /** Default: from 0.002 to 0.00002 along a cosine. */
  readonly learningRate?: Schedule;
  /** Global norm that gradients are clipped to; 0 for no clipping. Default: 10. */
  readonly clip?: number;
  /**
   * Weight of the negative log-likelihood of the off-policy paths, which pulls the policy toward them. The term is not part
   * of the balance, so the schedule should end at 0. Default: 0.
   */
  readonly likelihoodWeight?: Schedule;
  readonly seed: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** The inputs of one iteration. */
export interface FlowBatchInputs {
  /** Arrays of the contexts by name, [contexts, …]. */
  readonly inputs: Readonly<Record<string, TypedArray>>;
  /** One off-policy path per context, [contexts, H]. Required if the batch composition has an off-policy share. */
  readonly offPolicyPaths?: Int32Array;
}

/** The metrics of one iteration. */
export interface FlowMetrics {
  readonly loss: number;
  /** Cross-entropy of the channel model; null unless the channel is learned. */
  readonly channelLoss: number | null;
  readonly gradientNorm: number;
}

/** A GFlowNet over token paths in training. */
export interface FlowTrainer {
  readonly model: FlowModel;
  readonly objective: FlowObjective;
  /** Runs one iteration. `progress` is the completed fraction of the run, from 0 to 1. */
  step(batch: FlowBatchInputs, progress: number): Promise<FlowMetrics>;
  /** Copies the current parameters. */
  parameters(): Promise<Float32Array>;
  /** Replaces the parameters and resets the optimiser. */
  load(params: Float32Array): void;
  /** Frees the compiled program. */
  dispose(): Promise<void>;
}

/** Compiles the training of a GFlowNet over token paths. */
export async function flowTrainer(problem: FlowProblem, settings: FlowSettings): Promise<FlowTrainer> {
  const joint = settings.objective?.form === "joint" && problem.channel !== undefined;
  return flowTrainerOf(flowModel(problem, settings.network, joint), settings);
}

/** Creates a trainer for an existing model. */
export async function flowTrainerOf(
  model: FlowModel,
  settings: Omit<FlowSettings, "network">,
): Promise<FlowTrainer> {
  const {
    contexts,
    paths = 1,
    batchComposition = {},
    learningRate = { from: 2e-3, to: 2e-5, shape: "cosine" },
    clip = 10,
    likelihoodWeight = 0,
  } = settings;
  const objective: FlowObjective = {
    balance: "db",
    form: "marginal",
    loss: "squared",
    ...settings.objective,
  };
  checkSizes("flow", { contexts, paths });
  const { problem } = model;
  const { tokens: K, horizon: H } = problem;
  const hasOffPolicy = (batchComposition.offPolicyShare ?? 0) > 0;
  const hasLikelihood = !isConstant(likelihoodWeight, 0);
  throwIssues([
    ...batchCompositionIssues(batchComposition),
    ...objectiveIssues(problem, objective, { hasOffPolicy, hasLikelihood }),
  ]);
  const B = contexts * paths;

  const { run, example } = flowIteration(model, {
    objective,
    contexts,
    paths,
    hasOffPolicy,
    hasLikelihood,
    clip,
  });
  const program = await compile(run, example, {
    name: "flow",
    state: [...FLOW_STATE],
    finite: ["loss"],
    engine: settings.engine,
    threads: settings.threads,
  });
  const { size } = model.layout;
  const root = RandomStream.fromSeed(settings.seed);
  const load = (params: Float32Array) =>
    program.write({
      params,
      m: new Float32Array(size),
      v: new Float32Array(size),
      step: Int32Array.of(0),
    });
  load(model.layout.init(root.split("init")));
  const stream = root.split("paths");
  const uniform = new Float32Array(H * B * uniformsPerStep(K));

  return {
    model,
    objective,
    async step({ inputs, offPolicyPaths }, progress) {
      const rows = batchRows(batchComposition, B, progress);
      const outputs = await program.run({
        ...contextInputs(Object.keys(problem.inputs), inputs),
        uniform: stream.fillUniform(uniform),
        temperature: rows.temperature,
        epsilon: rows.epsilon,
        ...(hasOffPolicy && { offPolicy: rows.offPolicy, offPolicyPaths }),
        ...(hasLikelihood && { likelihoodWeight: Float32Array.of(scheduleAt(likelihoodWeight, progress)) }),
        rate: Float32Array.of(scheduleAt(learningRate, progress)),
      } as Record<string, TypedArray>);
      return {
        loss: outputs.loss[0],
        channelLoss: outputs.channelLoss?.[0] ?? null,
        gradientNorm: outputs.gradientNorm[0],
      };
    },
    parameters: async () => (await program.read("params")) as Float32Array,
    load,
    dispose: () => program.dispose(),
  };
}

function objectiveIssues(
  { reward }: FlowProblem,
  { forwardLooking }: FlowObjective,
  { hasOffPolicy, hasLikelihood }: { readonly hasOffPolicy: boolean; readonly hasLikelihood: boolean },
): Issue[] {
  const issues: Issue[] = [];
  if (forwardLooking && !reward.partialLogRewards) {
    const message = "needs a reward with partialLogRewards, and this reward has none";
    issues.push({ path: "objective.forwardLooking", code: "conflict", message });
  }
  if (hasLikelihood && !hasOffPolicy) {
    const message = "needs off-policy paths; set batchComposition.offPolicyShare above 0";
    issues.push({ path: "likelihoodWeight", code: "conflict", message });
  }
  return issues;
}
