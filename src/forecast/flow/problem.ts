// The problem that a GFlowNet over token paths solves: the contexts, their encoding for the network, the reward of a
// path, and the noise channel between actions and outcomes.

import type { numpy as np } from "@jax-js/jax";
import type { ArraySpec, RandomStream } from "../../engine/index.ts";
import { throwIssues } from "../../issues.ts";
import { checkSizes } from "../../nn/checks.ts";
import type { PathInputs } from "../network/path-network.ts";
import { type Channel, channelIssues } from "./channel.ts";

/** Arrays by name. */
export type NamedArrays = Readonly<Record<string, np.Array>>;

/** An encoded context, as the path network takes it. Arrays of width 0 are absent. */
export interface EncodedContext extends Omit<PathInputs, "tokens"> {
  /** The tokens before the path, one-hot [B, P, K]. */
  readonly past?: np.Array;
}

/** Turns the arrays of contexts into inputs of the path network. */
export interface FlowContextEncoder {
  /** W: width of the encoded context. */
  readonly contextWidth: number;
  /** D: width of the values known about each future step. */
  readonly futureWidth: number;
  /** P: number of tokens before the path. */
  readonly pastTokens: number;
  /** The parameters of the encoder as one flat vector. Omit for an encoder without parameters. */
  readonly learned?: { readonly size: number; readonly init: (stream: RandomStream) => Float32Array };
  /** `flat` holds the parameters, [size]; null for an encoder without parameters. */
  encode(inputs: NamedArrays, flat: np.Array | null): EncodedContext;
}

/** The reward of paths as array functions of one-hot tokens, [B, H, K], and the arrays of their contexts. */
export interface PathReward {
  /** log R, [B]. It must be finite, so a constraint lowers it to a floor instead of −∞. */
  logReward(tokens: np.Array, inputs: NamedArrays): np.Array;
  /**
   * Optional, for the forward-looking form: the term that each step adds to an estimate of log F, [B, H]. The value of
   * a step may depend only on the tokens up to that step.
   */
  partialLogRewards?(tokens: np.Array, inputs: NamedArrays): np.Array;
}

/** What a GFlowNet over token paths is trained on: contexts, and a reward of paths. */
export interface FlowProblem {
  /** K: number of tokens. */
  readonly tokens: number;
  /** H: number of steps of a path. */
  readonly horizon: number;
  /** The arrays of one context by name, without the context axis. Some may be inputs of the reward only. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  readonly encoder: FlowContextEncoder;
  readonly reward: PathReward;
  /** Omit if every action is realised as intended. */
  readonly channel?: Channel;
}

/** Throws unless the sizes of the problem fit together. */
export function checkProblem({ tokens, horizon, channel, inputs }: FlowProblem): void {
  checkSizes("flow", { tokens, horizon });
  if (Object.keys(inputs).length === 0)
    throw new RangeError("flow: contexts must have at least one array, got none");
  if (channel) throwIssues(channelIssues(tokens, channel));
}
