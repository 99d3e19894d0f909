// Trains a flow over token paths: a whole iteration (paths drawn for given contexts, rewards, loss, gradients, Adam) is
// one compiled program.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import {
  type ArrayFunction,
  compile,
  type EngineName,
  RandomStream,
  spec,
  type TypedArray,
} from "../../engine/index.ts";
import { adam, clipByGlobalNorm } from "../../nn/index.ts";
import { type BehaviourShares, behaviourRows, checkShares } from "./behaviour.ts";
import { type FlowModel, type FlowNetworkOptions, flowModel } from "./model.ts";
import { channelLoss, type FlowObjective, flowLoss } from "./objective.ts";
import type { Arrays, FlowProblem } from "./problem.ts";
import { rolloutPaths, uniformsPerStep } from "./rollout.ts";

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

/** The channel's model is a small table, which may go faster than weights. */
const CHANNEL_RATE = 10;

const STATE = ["params", "m", "v", "step"] as const;

export async function createFlowTrainer(problem: FlowProblem, settings: FlowSettings): Promise<FlowTrainer> {
  const { contexts, paths = 1, behaviour = {}, learningRate = 2e-3, clip = 10, anchor = 0 } = settings;
  const objective: FlowObjective = {
    balance: "db",
    form: "marginal",
    loss: "squared",
    ...settings.objective,
  };
  checkShares(behaviour);
  const joint = objective.form === "joint" && problem.channel !== undefined;
  const model = flowModel(problem, settings.network, joint);
  const { tokens: K, horizon: H, channel, reward } = problem;
  const usesGiven = (behaviour.given ?? 0) > 0;
  if (objective.forwardLooking && !reward.partial) {
    throw new RangeError("flow: the forward-looking form needs partial rewards, and this reward has none");
  }
  if (anchor > 0 && !usesGiven) {
    throw new RangeError(`flow: an anchor needs a share of given paths, got anchor ${anchor} and none given`);
  }
  const B = contexts * paths;
  const rateScale = model.layout.fill(({ path }) => (path === "channel" ? CHANNEL_RATE : 1));

  const iteration: ArrayFunction = (inputs) => {
    /** Every context once per path, [paths·contexts, …]. */
    const repeated = (name: string) => {
      const shape = [contexts, ...problem.inputs[name].shape];
      const array = inputs[`input.${name}`]; // [contexts, …]
      return paths === 1 ? array : np.broadcastTo(array, [paths, ...shape]).reshape([B, ...shape.slice(1)]); // [B, …]
    };
    const arrays: Arrays = Object.fromEntries(
      Object.keys(problem.inputs).map((name) => [name, repeated(name)]),
    );
    const { uniform, temperature, epsilon, given, rate } = inputs;
    const observed = usesGiven
      ? np.broadcastTo(inputs.paths, [paths, contexts, H]).reshape([B, H])
      : undefined; // [B, H]
    const rows = { temperature, epsilon, ...(usesGiven && { given, paths: observed }) };
    const start = model.params(inputs.params);
    const drawn = rolloutPaths(model, start, model.read(start, arrays), uniform, rows);
    const whole = np.transpose(drawn.tokens.reshape([H, B, K]), [1, 0, 2]); // [B, H, K]
    const logReward = reward.log(whole, arrays); // [B]
    const partial = objective.forwardLooking ? reward.partial!(whole, arrays) : null; // [B, H]
    const forHindsight = np.split(uniform.reshape([H * B, -1]), [K], 1)[0]; // [N, K]

    const loss = (flat: np.Array): [np.Array, Arrays] => {
      const params = model.params(flat);
      const logChannel = model.logChannel(params); // [K, K]
      const outputs = model.all(params, model.read(params, arrays), whole); // [N, …]
      const own = usesGiven ? given : null; // [B]
      const { loss: balance, logToken } = flowLoss(model, objective, {
        outputs,
        paths: drawn,
        logChannel,
        logReward,
        partial,
        given: own,
        uniform: forHindsight,
      });
      const terms: np.Array[] = [balance];
      const fit = channel?.learned ? channelLoss(logChannel!, drawn, own) : null; // []
      if (fit) terms.push(fit);
      if (anchor > 0) {
        const byPath = np.sum(logToken.reshape([H, B]), 0); // [B]
        const share = np.maximum(np.sum(given), 1); // []
        const mean = np.divide(np.sum(np.multiply(byPath, given)), share); // []
        terms.push(np.negative(np.multiply(mean, inputs.anchor))); // []
      }
      return [
        terms.reduce((sum, term) => np.add(sum, term)),
        { loss: balance, ...(fit && { channelLoss: fit }) },
      ];
    };
    const [[, seen], gradient] = valueAndGrad(loss, { hasAux: true })(inputs.params);
    const clipped = clipByGlobalNorm(gradient, clip);
    const optimiser = adam({
      learningRate: { at: () => rate, value: () => learningRate },
      ...(channel?.learned && { rateScale }),
    });
    const next = optimiser.update(inputs.params, clipped.gradient, {
      m: inputs.m,
      v: inputs.v,
      step: inputs.step,
    });
    return { params: next.params, ...next.state, ...seen, gradientNorm: clipped.norm };
  };

  const { size } = model.layout;
  const program = await compile(
    iteration,
    {
      params: spec([size]),
      m: spec([size]),
      v: spec([size]),
      step: spec([], "int32"),
      uniform: spec([H, B, uniformsPerStep(K)]),
      temperature: spec([B]),
      epsilon: spec([B]),
      ...(usesGiven && { given: spec([B]), paths: spec([contexts, H], "int32") }),
      ...(anchor > 0 && { anchor: spec([]) }),
      rate: spec([]),
      ...Object.fromEntries(
        Object.entries(problem.inputs).map(([name, { shape, dtype }]) => [
          `input.${name}`,
          { shape: [contexts, ...shape], dtype },
        ]),
      ),
    } as Record<string, ReturnType<typeof spec>>,
    {
      name: "flow",
      state: [...STATE],
      finite: ["loss"],
      engine: settings.engine,
      threads: settings.threads,
    },
  );
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
