// What a flow over token paths is to be: which contexts there are, how they are read, what a path is worth, and what
// becomes of an intended token.

import type { numpy as np } from "@jax-js/jax";
import type { ArraySpec, RandomStream } from "../../engine/index.ts";
import { checkSizes } from "../../nn/checks.ts";
import type { PathInputs } from "../network/path-network.ts";
import { type Channel, checkChannel } from "./channel.ts";

export type Arrays = Readonly<Record<string, np.Array>>;

/** What is read of a context before its path begins; each only where its width is not 0. */
export interface ReadContext extends Omit<PathInputs, "tokens"> {
  /** One-hot, [B, P, K]. */
  readonly earlier?: np.Array;
}

/** From the arrays of contexts to what the network of paths takes. */
export interface ContextReader {
  /** Widths W, D and P of what it gives. */
  readonly context: number;
  readonly known: number;
  readonly earlier: number;
  /** What it learns, as one flat vector; none for a reader that hands on what it gets. */
  readonly learns?: { readonly size: number; readonly init: (stream: RandomStream) => Float32Array };
  /** `flat` is the vector of what it learns, [size]. */
  read(inputs: Arrays, flat: np.Array | null): ReadContext;
}

/** What paths are worth, as array functions of one-hot tokens [B, H, K] and the arrays of their contexts. */
export interface PathReward {
  /** log R, [B]; must be finite, so what is forbidden gets a floor. */
  log(tokens: np.Array, inputs: Arrays): np.Array;
  /** What each step adds to a guess of log F, [B, H], from tokens up to that step only: the forward-looking form. */
  partial?(tokens: np.Array, inputs: Arrays): np.Array;
}

export interface FlowProblem {
  /** K */
  readonly tokens: number;
  /** H */
  readonly horizon: number;
  /** Arrays of one context by name, without the axis of contexts. Rewards may read some that the network never sees. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  readonly reader: ContextReader;
  readonly reward: PathReward;
  /** What becomes of intended tokens; none if they all come true. */
  readonly channel?: Channel;
}

/** Throws one sentence unless the problem's sizes fit together. */
export function checkProblem({ tokens, horizon, channel, inputs }: FlowProblem): void {
  checkSizes("flow", { tokens, horizon });
  if (Object.keys(inputs).length === 0)
    throw new RangeError("flow: contexts must have at least one array, got none");
  if (channel) checkChannel(tokens, channel);
}
