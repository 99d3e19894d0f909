// One training iteration of a flow over token paths as an array function: paths drawn for given contexts, rewards, loss,
// gradients, Adam.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../../engine/index.ts";
import { adam, clipByGlobalNorm } from "../../nn/index.ts";
import type { FlowModel } from "./model.ts";
import { channelLoss, type FlowObjective, flowLoss } from "./objective.ts";
import type { Arrays, ReadContext } from "./problem.ts";
import { rolloutPaths, uniformsPerStep } from "./rollout.ts";

export interface FlowIterationOptions {
  readonly objective: FlowObjective;
  /** Contexts, and paths for each; B rows together. */
  readonly contexts: number;
  readonly paths: number;
  /** Whether some rows follow given paths, and whether these draw the policy towards them. */
  readonly usesGiven: boolean;
  readonly anchored: boolean;
  readonly clip: number;
}

/** What stays inside the program. */
export const FLOW_STATE = ["params", "m", "v", "step"] as const;

/** The channel's model is a small table, which may go faster than weights. */
const CHANNEL_RATE = 10;

export function flowIteration(model: FlowModel, options: FlowIterationOptions) {
  const { objective, contexts: C, paths: n, usesGiven, anchored, clip } = options;
  const { tokens: K, horizon: H, inputs: specs, channel, reward } = model.problem;
  const { size } = model.layout;
  const B = C * n;
  const rateScale = model.layout.fill(({ path }) => (path === "channel" ? CHANNEL_RATE : 1));
  /** Every context once per path, [C, …] to [n·C, …]. */
  const repeated = (array: np.Array) =>
    n === 1 ? array : np.broadcastTo(array, [n, ...array.shape]).reshape([B, ...array.shape.slice(1)]); // [B, …]
  const eachRepeated = (arrays: object) =>
    Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, repeated(array)]));

  const run: ArrayFunction = (inputs) => {
    const { uniform, temperature, epsilon, rate } = inputs;
    const given = usesGiven ? inputs.given : null; // [B]
    const seen = Object.fromEntries(Object.keys(specs).map((name) => [name, inputs[`input.${name}`]])); // [C, …]
    const arrays: Arrays = eachRepeated(seen); // [B, …]
    /** Contexts are read once each, however many paths they get. */
    const readWith = (params: ReturnType<FlowModel["params"]>): ReadContext =>
      eachRepeated(model.read(params, seen)); // [B, …]
    const before = model.params(inputs.params);
    const drawn = rolloutPaths(model, before, readWith(before), uniform, {
      temperature,
      epsilon,
      ...(given && { given, paths: repeated(inputs.paths) }),
    });
    const whole = np.transpose(drawn.tokens.reshape([H, B, K]), [1, 0, 2]); // [B, H, K]
    const logReward = reward.log(whole, arrays); // [B]
    const partial = objective.forwardLooking ? reward.partial!(whole, arrays) : null; // [B, H]
    // Given rows draw no intention on the way, so these numbers are still unused there.
    const forHindsight = np.split(uniform.reshape([H * B, -1]), [K], 1)[0]; // [N, K]

    const loss = (flat: np.Array): [np.Array, Arrays] => {
      const params = model.params(flat);
      const logChannel = model.logChannel(params); // [K, K]
      const { loss: balance, logToken } = flowLoss(model, objective, {
        outputs: model.all(params, readWith(params), whole), // [N, …]
        paths: drawn,
        logChannel,
        logReward,
        partial,
        given,
        uniform: forHindsight,
      });
      const fit = channel?.learned ? channelLoss(logChannel!, drawn, given) : null; // []
      const tie = given && anchored ? np.multiply(surprise(logToken, given), inputs.anchor) : null; // []
      const total = [balance, fit, tie]
        .filter((term) => term !== null)
        .reduce((sum, term) => np.add(sum, term)); // []
      return [total, { loss: balance, ...(fit && { channelLoss: fit }) }];
    };
    const [[, losses], gradient] = valueAndGrad(loss, { hasAux: true })(inputs.params);
    const clipped = clipByGlobalNorm(gradient, clip);
    const optimiser = adam({
      learningRate: { at: () => rate, value: () => Number.NaN },
      ...(channel?.learned && { rateScale }),
    });
    const { m, v, step } = inputs;
    const next = optimiser.update(inputs.params, clipped.gradient, { m, v, step });
    return { params: next.params, ...next.state, ...losses, gradientNorm: clipped.norm };
  };

  const example: Record<string, ArraySpec> = {
    params: spec([size]),
    m: spec([size]),
    v: spec([size]),
    step: spec([], "int32"),
    uniform: spec([H, B, uniformsPerStep(K)]),
    temperature: spec([B]),
    epsilon: spec([B]),
    ...(usesGiven && { given: spec([B]), paths: spec([C, H], "int32") }),
    ...(anchored && { anchor: spec([]) }),
    rate: spec([]),
    ...Object.fromEntries(
      Object.entries(specs).map(([name, { shape, dtype }]) => [`input.${name}`, spec([C, ...shape], dtype)]),
    ),
  };
  return { run, example };
}

/** Mean of −log of the probability of given paths, []; `logToken` is [N] and `given` [B]. */
function surprise(logToken: np.Array, given: np.Array): np.Array {
  const byPath = np.sum(logToken.reshape([-1, given.shape[0]]), 0); // [B]
  const count = np.maximum(np.sum(given), 1); // []
  return np.negative(np.divide(np.sum(np.multiply(byPath, given)), count)); // []
}
