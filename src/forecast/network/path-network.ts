// What is to be said of every step of a path of tokens, given its context: a perceptron that sees the context, what is
// known of the step ahead, where the step stands, and the tokens just before it.
//
// A step sees earlier tokens only, so all steps of given paths are one pass (`all`), and a rollout asks step by step
// (`at`). Tokens are one-hot; a row of zeros is a token that is not known.

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
  /** K: how many tokens there are. */
  readonly tokens: number;
  /** H: steps of a path. */
  readonly horizon: number;
  /** W: numbers that the context comes as; 0 if there is none. */
  readonly context: number;
  /** D: numbers that are known of each step ahead; 0 if there are none. */
  readonly known: number;
  /** P: tokens of the context's own that stand before the path; none unless told. */
  readonly earlier?: number;
  /** How many tokens before a step it sees; H unless told, and never more than there are. */
  readonly lags?: number;
  /** Widths of the hidden layers. */
  readonly hidden: readonly number[];
  /** Outputs of each head. */
  readonly heads: Readonly<Record<Head, number>>;
  /** Heads that say 0 everywhere at first. */
  readonly zeroHeads?: readonly NoInfer<Head>[];
  /** Whether heads also add what a table says of the token just before, which a perceptron is slow to learn. */
  readonly table?: boolean;
  /** Numbers that a token becomes; 16 unless told. */
  readonly embeddingWidth?: number;
  readonly activation?: ActivationName;
}

export type PathNetworkParams = {
  readonly tokens?: ParamSpec;
  readonly mlp: MlpParams;
  /** [K, outputs] */
  readonly table?: ParamSpec;
};

/** What a pass over B paths takes. */
export interface PathInputs {
  /** [B, W]; only where W is not 0. */
  readonly context?: np.Array;
  /** [B, H, D]; only where D is not 0. */
  readonly known?: np.Array;
  /** One-hot, [B, n, K]: the P earlier tokens, then the path. All steps need n = P + H, step t at least P + t. */
  readonly tokens?: np.Array;
}

export interface PathNetwork<Head extends string = string> {
  readonly params: PathNetworkParams;
  /** Every head at all H steps, [H·B, outputs]; rows are ordered by step, then by path. */
  all(params: ArraysOf<PathNetworkParams>, inputs: PathInputs): Readonly<Record<Head, np.Array>>;
  /** Every head at step t, counted from 0, [B, outputs]. Tokens from P + t on are not looked at. */
  at(params: ArraysOf<PathNetworkParams>, t: number, inputs: PathInputs): Readonly<Record<Head, np.Array>>;
}

export function pathNetwork<Head extends string>(options: PathNetworkOptions<Head>): PathNetwork<Head> {
  const { tokens: K, horizon: H, context: W, known: D, earlier: P = 0, embeddingWidth: E = 16 } = options;
  checkSizes("pathNetwork", { tokens: K, horizon: H, embeddingWidth: E });
  for (const [name, size] of Object.entries({ context: W, known: D, earlier: P, lags: options.lags ?? H })) {
    if (Number.isSafeInteger(size) && size >= 0) continue;
    throw new RangeError(`pathNetwork: ${name} must be a whole number of at least 0, got ${size}`);
  }
  const names = Object.keys(options.heads) as Head[];
  const sizes = names.map((name) => options.heads[name]);
  if (names.length === 0) throw new RangeError("pathNetwork: heads must name at least one head, got none");
  checkSizes("pathNetwork", Object.fromEntries(names.map((name) => [`heads.${name}`, options.heads[name]])));
  const lags = Math.min(options.lags ?? H, P + H - 1);
  const network = mlp({
    inputs: W + D + H + lags * E,
    hidden: options.hidden,
    outputs: sizes.reduce((sum, size) => sum + size),
    activation: options.activation,
    outputInit: headsInit(sizes.map((size, i) => [size, !options.zeroHeads?.includes(names[i])])),
  });
  const embedding = { shape: [K, E], init: init.normal(1 / Math.sqrt(E)) };
  const table = { shape: [K, sizes.reduce((sum, size) => sum + size)], init: init.zeros };
  const hasTable = options.table === true && lags > 0;

  /** Heads at `count` steps from the first one on, of B paths. */
  function steps(
    params: ArraysOf<PathNetworkParams>,
    inputs: PathInputs,
    first: number,
    count: number,
  ): Readonly<Record<Head, np.Array>> {
    const B = rowsOf(inputs);
    const seen: np.Array[] = []; // [count, B, …] each
    if (W > 0) seen.push(np.broadcastTo(given(inputs.context, "context", ["B", W]), [count, B, W]));
    if (D > 0) {
      const known = given(inputs.known, "known", ["B", H, D]); // [B, H, D]
      seen.push(np.transpose(known.slice([], [first, first + count]), [1, 0, 2])); // [count, B, D]
    }
    const place = np
      .eye(H)
      .slice([first, first + count])
      .reshape([count, 1, H]); // [count, 1, H]
    seen.push(np.broadcastTo(place, [count, B, H]));
    if (lags > 0) {
      const before = embedded(params, inputs.tokens, P + first, count - 1, B); // [lags + count − 1, B, E]
      // The oldest first: lag number j of a step stands j tokens after the oldest that it sees.
      for (let j = 0; j < lags; j++) seen.push(before.slice([j, j + count])); // [count, B, E]
    }
    const rows = np.concatenate(seen, 2).reshape([count * B, W + D + H + lags * E]); // [count·B, inputs]
    const own = network.apply(params.mlp, rows); // [count·B, all outputs]
    const said = hasTable ? np.add(own, afterLast(params, inputs.tokens, P + first, count, B)) : own; // [count·B, all outputs]
    const cuts = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, size) => sum + size)).slice(0, -1);
    const parts = cuts.length > 0 ? np.split(said, cuts, 1) : [said]; // [count·B, outputs] each
    return Object.fromEntries(names.map((name, i) => [name, parts[i]])) as Record<Head, np.Array>;
  }

  /** The `lags` tokens before place `at` and `more` from there on as learned numbers; zeros where there is no token. */
  function embedded(
    params: ArraysOf<PathNetworkParams>,
    tokens: np.Array | undefined,
    at: number,
    more: number,
    B: number,
  ): np.Array {
    const from = Math.max(0, at - lags);
    const n = at + more - from;
    if (n === 0) return np.zeros([lags, B, E]); // [lags, B, E]
    const whole = given(tokens, "tokens", ["B", "n", K]); // [B, at least at + more, K]
    if (whole.shape[1] < at + more) {
      throw new RangeError(
        `pathNetwork: tokens must be at least ${at + more} per path, got ${whole.shape[1]}`,
      );
    }
    const byStep = np.transpose(whole.slice([], [from, from + n]), [1, 0, 2]).reshape([n * B, K]); // [n·B, K]
    const rows = np.matmul(byStep, params.tokens!).reshape([n, B, E]); // [n, B, E]
    const missing = lags + more - n;
    return missing > 0 ? np.concatenate([np.zeros([missing, B, E]), rows], 0) : rows; // [lags + more, B, E]
  }

  /** What the table says after the tokens just before `count` places from `at` on, [count·B, all outputs]. */
  function afterLast(
    params: ArraysOf<PathNetworkParams>,
    tokens: np.Array | undefined,
    at: number,
    count: number,
    B: number,
  ): np.Array {
    const from = Math.max(0, at - 1);
    const n = at - 1 + count - from;
    if (n === 0) return np.zeros([count * B, table.shape[1]]); // [count·B, all outputs]
    const whole = given(tokens, "tokens", ["B", "n", K]); // [B, at least at + count − 1, K]
    const before = np.transpose(whole.slice([], [from, from + n]), [1, 0, 2]).reshape([n * B, K]); // [n·B, K]
    const said = np.matmul(before, params.table!); // [n·B, all outputs]
    return n < count ? np.concatenate([np.zeros([B, table.shape[1]]), said], 0) : said; // [count·B, all outputs]
  }

  return {
    params: {
      ...(lags > 0 && { tokens: embedding }),
      mlp: network.params,
      ...(hasTable && { table }),
    },
    all(params, inputs) {
      return steps(params, inputs, 0, H);
    },
    at(params, t, inputs) {
      if (!Number.isInteger(t) || t < 0 || t >= H) {
        throw new RangeError(`pathNetwork: the step must be a whole number from 0 to ${H - 1}, got ${t}`);
      }
      return steps(params, inputs, t, 1);
    },
  };
}

function given(array: np.Array | undefined, name: string, axes: readonly (number | string)[]): np.Array {
  if (!array) throw new TypeError(`pathNetwork: ${name} must be given, as [${axes.join(", ")}]`);
  checkShape("pathNetwork", name, array, axes);
  return array;
}

/** B, read off whatever is there. */
function rowsOf({ context, known, tokens }: PathInputs): number {
  const array = context ?? known ?? tokens;
  if (!array) throw new TypeError("pathNetwork: the inputs must say how many paths there are, got none");
  return array.shape[0];
}

/** Each head's weights drawn as if it stood alone, or 0. */
function headsInit(heads: readonly (readonly [size: number, drawn: boolean])[]): Initialiser {
  return ([inputs, outputs], stream) => {
    const weight = new Float32Array(inputs * outputs);
    let start = 0;
    for (const [i, [size, drawn]] of heads.entries()) {
      if (drawn) {
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
