// Predicts the next token of a path at every step: an MLP on the context embedding, the known inputs of the future
// step, the position of the step, and the tokens just before it.
//
// A step depends on earlier tokens only. All steps of given paths are therefore one pass (`allSteps`), and a rollout
// computes one step at a time (`step`). Tokens are one-hot; a row of zeros stands for a missing token.

import { numpy as np } from "@jax-js/jax";
import { checkShape, checkSizes } from "../../nn/checks.ts";
import {
  type ActivationName,
  type ArraysOf,
  type Initialiser,
  init,
  type MlpParams,
  mlp,
  type ParamSpec,
} from "../../nn/index.ts";

export interface PathNetworkOptions<Head extends string = string> {
  /** K: number of tokens. */
  readonly tokens: number;
  /** H: steps of a path. */
  readonly horizon: number;
  /** W: width of the context embedding; 0 for none. */
  readonly contextWidth: number;
  /** D: number of known inputs of each future step; 0 for none. */
  readonly futureWidth: number;
  /** P: observed tokens that precede the path. Default: 0. */
  readonly pastTokens?: number;
  /** Number of preceding tokens that a step sees; limited to those that exist. Default: H. */
  readonly lags?: number;
  /** Widths of the hidden layers. */
  readonly hidden: readonly number[];
  /** Number of outputs of each head. */
  readonly heads: Readonly<Record<Head, number>>;
  /** Heads whose initial output is 0. Default: none. */
  readonly zeroHeads?: readonly NoInfer<Head>[];
  /**
   * Whether to add to the outputs a learned table that depends on the preceding token, since an MLP learns this
   * dependence slowly. Default: false.
   */
  readonly bigramTable?: boolean;
  /** Width of the token embedding. Default: 16. */
  readonly embeddingWidth?: number;
  readonly activation?: ActivationName;
}

export type PathNetworkParams = {
  readonly tokens?: ParamSpec;
  readonly mlp: MlpParams;
  /** [K, outputs] */
  readonly table?: ParamSpec;
};

/** Inputs of a pass over B paths. */
export interface PathInputs {
  /** Context embedding, [B, W]. Required if W > 0. */
  readonly context?: np.Array;
  /** Known inputs of the future steps, [B, H, D]. Required if D > 0. */
  readonly future?: np.Array;
  /** One-hot tokens, [B, n, K]: P past tokens, then the path. `allSteps` needs n = P + H, `step` t needs n ≥ P + t. */
  readonly tokens?: np.Array;
}

export interface PathNetwork<Head extends string = string> {
  readonly params: PathNetworkParams;
  /** Outputs of every head at all H steps, [H·B, outputs]; rows are ordered by step, then by path. */
  allSteps(params: ArraysOf<PathNetworkParams>, inputs: PathInputs): Readonly<Record<Head, np.Array>>;
  /** Outputs of every head at step t, counted from 0, [B, outputs]. Tokens at position P + t and later are ignored. */
  step(params: ArraysOf<PathNetworkParams>, t: number, inputs: PathInputs): Readonly<Record<Head, np.Array>>;
}

export function pathNetwork<Head extends string>(options: PathNetworkOptions<Head>): PathNetwork<Head> {
  const { tokens: K, horizon: H, contextWidth: W, futureWidth: D, pastTokens: P = 0 } = options;
  const { lags: mostLags = H, embeddingWidth: E = 16 } = options;
  checkSizes("pathNetwork", { tokens: K, horizon: H, embeddingWidth: E });
  checkCounts({ contextWidth: W, futureWidth: D, pastTokens: P, lags: mostLags });
  const names = Object.keys(options.heads) as Head[];
  const sizes = names.map((name) => options.heads[name]);
  if (names.length === 0) throw new RangeError("pathNetwork: heads must contain at least one head, got none");
  checkSizes("pathNetwork", Object.fromEntries(names.map((name) => [`heads.${name}`, options.heads[name]])));
  const outputs = sizes.reduce((sum, size) => sum + size);
  const lags = Math.min(mostLags, P + H - 1);
  const network = mlp({
    inputs: W + D + H + lags * E,
    hidden: options.hidden,
    outputs,
    activation: options.activation,
    outputInit: headsInit(sizes.map((size, i) => [size, !options.zeroHeads?.includes(names[i])])),
  });
  const embedding = { shape: [K, E], init: init.normal(1 / Math.sqrt(E)) };
  const table = { shape: [K, outputs], init: init.zeros };
  const hasTable = options.bigramTable === true && lags > 0;

  /** Outputs of the heads at `count` steps from step `first` on, for B paths. */
  function outputsAt(
    params: ArraysOf<PathNetworkParams>,
    inputs: PathInputs,
    first: number,
    count: number,
  ): Readonly<Record<Head, np.Array>> {
    const B = batchSize(inputs);
    const parts: np.Array[] = []; // [count, B, …] each
    if (W > 0) parts.push(np.broadcastTo(required(inputs.context, "context", ["B", W]), [count, B, W]));
    if (D > 0) {
      const future = required(inputs.future, "future", ["B", H, D]); // [B, H, D]
      parts.push(np.transpose(future.slice([], [first, first + count]), [1, 0, 2])); // [count, B, D]
    }
    const position = np
      .eye(H)
      .slice([first, first + count])
      .reshape([count, 1, H]); // [count, 1, H]
    parts.push(np.broadcastTo(position, [count, B, H]));
    if (lags > 0) {
      const preceding = embedTokens(params, inputs.tokens, P + first, count - 1, B); // [lags + count − 1, B, E]
      // The oldest token first: slice j contains the j-th of the tokens that each step sees.
      for (let j = 0; j < lags; j++) parts.push(preceding.slice([j, j + count])); // [count, B, E]
    }
    const rows = np.concatenate(parts, 2).reshape([count * B, W + D + H + lags * E]); // [count·B, inputs]
    const fromMlp = network.apply(params.mlp, rows); // [count·B, outputs]
    const all = hasTable
      ? np.add(fromMlp, bigramOutputs(params, inputs.tokens, P + first, count, B))
      : fromMlp; // [count·B, outputs]
    const cuts = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, size) => sum + size)).slice(0, -1);
    const byHead = cuts.length > 0 ? np.split(all, cuts, 1) : [all]; // [count·B, outputs of the head] each
    return Object.fromEntries(names.map((name, i) => [name, byHead[i]])) as Record<Head, np.Array>;
  }

  /**
   * Embeddings of the `lags` tokens before position `at` and of the `more` tokens from `at`; zeros before the first
   * token.
   */
  function embedTokens(
    params: ArraysOf<PathNetworkParams>,
    tokens: np.Array | undefined,
    at: number,
    more: number,
    B: number,
  ): np.Array {
    const from = Math.max(0, at - lags);
    const n = at + more - from;
    if (n === 0) return np.zeros([lags, B, E]); // [lags, B, E]
    const all = required(tokens, "tokens", ["B", "n", K]); // [B, at least at + more, K]
    if (all.shape[1] < at + more) {
      throw new RangeError(`pathNetwork: tokens must be at least ${at + more} per path, got ${all.shape[1]}`);
    }
    const byStep = np.transpose(all.slice([], [from, from + n]), [1, 0, 2]).reshape([n * B, K]); // [n·B, K]
    const rows = np.matmul(byStep, params.tokens!).reshape([n, B, E]); // [n, B, E]
    const missing = lags + more - n;
    return missing > 0 ? np.concatenate([np.zeros([missing, B, E]), rows], 0) : rows; // [lags + more, B, E]
  }

  /** Table rows of the tokens that precede `count` positions, starting at `at`, [count·B, outputs]. */
  function bigramOutputs(
    params: ArraysOf<PathNetworkParams>,
    tokens: np.Array | undefined,
    at: number,
    count: number,
    B: number,
  ): np.Array {
    const from = Math.max(0, at - 1);
    const n = at - 1 + count - from;
    if (n === 0) return np.zeros([count * B, outputs]); // [count·B, outputs]
    const all = required(tokens, "tokens", ["B", "n", K]); // [B, at least at + count − 1, K]
    const preceding = np.transpose(all.slice([], [from, from + n]), [1, 0, 2]).reshape([n * B, K]); // [n·B, K]
    const rows = np.matmul(preceding, params.table!); // [n·B, outputs]
    return n < count ? np.concatenate([np.zeros([B, outputs]), rows], 0) : rows; // [count·B, outputs]
  }

  return {
    params: {
      ...(lags > 0 && { tokens: embedding }),
      mlp: network.params,
      ...(hasTable && { table }),
    },
    allSteps(params, inputs) {
      return outputsAt(params, inputs, 0, H);
    },
    step(params, t, inputs) {
      if (!Number.isInteger(t) || t < 0 || t >= H) {
        throw new RangeError(`pathNetwork: the step must be a whole number from 0 to ${H - 1}, got ${t}`);
      }
      return outputsAt(params, inputs, t, 1);
    },
  };
}

function checkCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) {
    if (Number.isSafeInteger(count) && count >= 0) continue;
    throw new RangeError(`pathNetwork: ${name} must be a whole number of at least 0, got ${count}`);
  }
}

function required(array: np.Array | undefined, name: string, axes: readonly (number | string)[]): np.Array {
  if (!array) throw new TypeError(`pathNetwork: ${name} must be [${axes.join(", ")}], got none`);
  checkShape("pathNetwork", name, array, axes);
  return array;
}

/** The batch size B, from the first input that is given. */
function batchSize({ context, future, tokens }: PathInputs): number {
  const array = context ?? future ?? tokens;
  if (!array) throw new TypeError("pathNetwork: context, future or tokens must be given, got none");
  return array.shape[0];
}

/** Initialises the weights of each head as a separate layer, or with 0. */
function headsInit(heads: readonly (readonly [size: number, random: boolean])[]): Initialiser {
  return ([inputs, outputs], stream) => {
    const weight = new Float32Array(inputs * outputs);
    let start = 0;
    for (const [i, [size, random]] of heads.entries()) {
      if (random) {
        const values = init.glorotUniform([inputs, size], stream.split(`head ${i}`));
        values.forEach((value, k) => {
          weight[Math.floor(k / size) * outputs + start + (k % size)] = value;
        });
      }
      start += size;
    }
    return weight;
  };
}
