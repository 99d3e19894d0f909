// Trains a flow over token paths: one call of a compiled program per iteration, with random numbers from the host.

import { compile, type EngineName, RandomStream, type TypedArray } from "../../engine/index.ts";
import { checkSizes } from "../../nn/checks.ts";
import { type BehaviourShares, behaviourRows, checkShares } from "./behaviour.ts";
import { FLOW_STATE, flowIteration } from "./iteration.ts";
import { type FlowModel, type FlowNetworkOptions, flowModel } from "./model.ts";
import type { FlowObjective } from "./objective.ts";
import type { FlowProblem } from "./problem.ts";
import { uniformsPerStep } from "./rollout.ts";

export interface FlowSettings {
  readonly network: FlowNetworkOptions;
  /** Marginal detailed balance with the squared loss unless told. */
  readonly objective?: Partial<FlowObjective>;
  /** Contexts per iteration, and paths drawn for each. */
  readonly contexts: number;
  readonly paths?: number;
  /** All paths are the policy's own unless told. */
  readonly behaviour?: BehaviourShares;
  /** At the start; it falls to a hundredth along a cosine. */
  readonly learningRate?: number;
  /** Norm that gradients are clipped to. */
  readonly clip?: number;
  /** Weight of −log of the probability of given paths, which ties the policy to what was observed; it falls to 0 in a
   * straight line, for it is no part of the balance. */
  readonly anchor?: number;
  readonly seed: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** What one iteration is given. */
export interface FlowLesson {
  /** Arrays of the contexts by name, [contexts, …]. */
  readonly inputs: Readonly<Record<string, TypedArray>>;
  /** One observed path per context, [contexts, H]; goes with a share of given rows. */
  readonly paths?: Int32Array;
}

export interface FlowReport {
  readonly loss: number;
  /** Cross-entropy of the channel's model; null where nothing is learned of it. */
  readonly channelLoss: number | null;
  readonly gradientNorm: number;
}

export interface FlowTrainer {
  readonly model: FlowModel;
  readonly objective: FlowObjective;
  /** One iteration; `progress` goes from 0 to 1 in the course of a run. */
  step(lesson: FlowLesson, progress: number): Promise<FlowReport>;
  parameters(): Promise<Float32Array>;
  /** Goes on from these parameters, with a fresh optimiser. */
  load(params: Float32Array): void;
  dispose(): Promise<void>;
}

export async function createFlowTrainer(problem: FlowProblem, settings: FlowSettings): Promise<FlowTrainer> {
  const joint = settings.objective?.form === "joint" && problem.channel !== undefined;
  return trainerOf(flowModel(problem, settings.network, joint), settings);
}

/** Trains a model that was made elsewhere. */
export async function trainerOf(
  model: FlowModel,
  settings: Omit<FlowSettings, "network">,
): Promise<FlowTrainer> {
  const { contexts, paths = 1, behaviour = {}, learningRate = 2e-3, clip = 10, anchor = 0 } = settings;
  const objective: FlowObjective = {
    balance: "db",
    form: "marginal",
    loss: "squared",
    ...settings.objective,
  };
  checkSizes("flow", { contexts, paths });
  checkShares(behaviour);
  const { problem } = model;
  const { tokens: K, horizon: H, reward } = problem;
  const usesGiven = (behaviour.given ?? 0) > 0;
  if (objective.forwardLooking && !reward.partial) {
    throw new RangeError("flow: the forward-looking form needs partial rewards, and this reward has none");
  }
  if (anchor > 0 && !usesGiven) {
    throw new RangeError(`flow: an anchor needs a share of given paths, got anchor ${anchor} and none given`);
  }
  const B = contexts * paths;

  const { run, example } = flowIteration(model, {
    objective,
    contexts,
    paths,
    usesGiven,
    anchored: anchor > 0,
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
  const draws = root.split("paths");
  const uniform = new Float32Array(H * B * uniformsPerStep(K));

  return {
    model,
    objective,
    async step({ inputs, paths: observed }, progress) {
      const rows = behaviourRows(behaviour, B, progress);
      const said = await program.run({
        ...Object.fromEntries(Object.keys(problem.inputs).map((name) => [`input.${name}`, inputs[name]])),
        uniform: draws.fillUniform(uniform),
        temperature: rows.temperature,
        epsilon: rows.epsilon,
        ...(usesGiven && { given: rows.given, paths: observed }),
        ...(anchor > 0 && { anchor: Float32Array.of(anchor * Math.max(0, 1 - progress)) }),
        rate: Float32Array.of(learningRate * rateAt(progress)),
      } as Record<string, TypedArray>);
      return {
        loss: said.loss[0],
        channelLoss: said.channelLoss?.[0] ?? null,
        gradientNorm: said.gradientNorm[0],
      };
    },
    parameters: async () => (await program.read("params")) as Float32Array,
    load,
    dispose: () => program.dispose(),
  };
}

/** From 1 along a cosine to a hundredth. */
function rateAt(progress: number): number {
  return 0.01 + 0.99 * 0.5 * (1 + Math.cos(Math.PI * Math.min(1, Math.max(0, progress))));
}
