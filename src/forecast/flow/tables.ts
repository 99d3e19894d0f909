// What a flow says of every state there is, for chosen contexts: the tree of all prefixes, as tables for exact
// evaluation.
//
// Prefixes of t tokens are numbered as numbers of base K, the first token first; so the token x after prefix p makes
// prefix p · K + x.

import { numpy as np } from "@jax-js/jax";
import { allocate, sizeOf } from "../../engine/dtype.ts";
import {
  type ArrayFunction,
  type ArraySpec,
  compile,
  type EngineName,
  spec,
  type TypedArray,
} from "../../engine/index.ts";
import type { FlowModel } from "./model.ts";
import type { Arrays } from "./problem.ts";

/** Most paths that a tree may have. */
export const MOST_PATHS = 16_384;

/** Rows that a pass has at most, if one context has no more. */
const ROWS = 20_000;

/** One context; per number of tokens t < H, the Kᵗ prefixes. */
export interface ContextTables {
  /** Unnormalised log-probabilities of intentions, H × [Kᵗ·K]. */
  readonly policy: readonly Float32Array[];
  /** log F, H × [Kᵗ]. */
  readonly logFlow: readonly Float32Array[];
  /** log R of all paths as the program computes it, [K^H]; null where rewards are left out. */
  readonly logReward: Float32Array | null;
}

export interface TableReader {
  /** Tables of all contexts in the arrays, one context after the other. */
  read(params: Float32Array, inputs: Readonly<Record<string, TypedArray>>): AsyncGenerator<ContextTables>;
  /** The channel's model, Ĉ[a, x]; or the channel itself where it is known. */
  channel(params: Float32Array): Promise<Float64Array | null>;
  dispose(): Promise<void>;
}

export interface TableOptions {
  readonly forwardLooking?: boolean;
  /** Whether rewards are read too, which they are unless told; not needed where they are known exactly. */
  readonly rewards?: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

export async function tableReader(model: FlowModel, options: TableOptions = {}): Promise<TableReader> {
  const { forwardLooking = false, rewards = true, engine, threads } = options;
  const { tokens: K, horizon: H, inputs: specs, reward, channel } = model.problem;
  const leaves = K ** H;
  if (leaves > MOST_PATHS) {
    throw new RangeError(`flow: a tree may have at most ${MOST_PATHS} paths, got ${K}^${H} = ${leaves}`);
  }
  const C = Math.max(1, Math.floor(ROWS / (rewards ? leaves : leaves / K))); // contexts per pass
  const names = Object.keys(specs);

  const tables: ArrayFunction = (inputs) => {
    const params = model.params(inputs.params);
    const each = (n: number, array: np.Array) =>
      np.broadcastTo(array, [n, ...array.shape]).reshape([n * C, ...array.shape.slice(1)]); // [n·C, …]
    const arrays: Arrays = Object.fromEntries(names.map((name) => [name, inputs[`input.${name}`]])); // [C, …]
    const context = model.read(params, arrays);
    const outputs: Record<string, np.Array> = {};
    for (let t = 0; t <= (rewards ? H : H - 1); t++) {
      const n = K ** t;
      const path = prefixes(K, t).map((token) =>
        np.broadcastTo(np.array(token, { shape: [n, 1, K] }), [n, C, K]).reshape([n * C, K]),
      ); // t × [n·C, K]
      const rest = Array.from({ length: H - t }, () => np.zeros([n * C, K])); // (H − t) × [n·C, K]
      const whole = np.stack([...path, ...rest], 1); // [n·C, H, K]
      const repeated = Object.fromEntries(names.map((name) => [name, each(n, arrays[name])]));
      if (t === H) {
        outputs.logReward = reward.log(whole, repeated).reshape([n, C]); // [K^H, C]
        break;
      }
      const seen = Object.fromEntries(
        Object.entries(context).map(([name, array]) => [name, each(n, array as np.Array)]),
      );
      const { policy, flow } = model.at(params, t, seen, path, n * C); // [n·C, K], [n·C, 1]
      outputs[`policy${t}`] = policy.reshape([n, C, K]); // [n, C, K]
      const guess =
        forwardLooking && t > 0 ? np.sum(reward.partial!(whole, repeated).slice([], [0, t]), 1) : null; // [n·C]
      const logFlow = flow.reshape([n * C]); // [n·C]
      outputs[`flow${t}`] = (guess ? np.add(logFlow, guess) : logFlow).reshape([n, C]); // [n, C]
    }
    return outputs;
  };

  const program = await compile(
    tables,
    {
      params: spec([model.layout.size]),
      ...Object.fromEntries(
        names.map((name) => [`input.${name}`, spec([C, ...specs[name].shape], specs[name].dtype)]),
      ),
    } as Record<string, ReturnType<typeof spec>>,
    { name: "tables", engine, threads },
  );
  return {
    async *read(params, inputs) {
      const count = inputs[names[0]].length / sizeOf(specs[names[0]].shape);
      for (let start = 0; start < count; start += C) {
        // The last chunk is filled up with its first context.
        const rows = Array.from({ length: C }, (_, i) => (start + i < count ? start + i : start));
        const said = await program.run({
          params,
          ...Object.fromEntries(
            names.map((name) => [`input.${name}`, rowsOf(inputs[name], rows, specs[name])]),
          ),
        });
        for (let c = 0; c < Math.min(C, count - start); c++) {
          const policy: Float32Array[] = [];
          const logFlow: Float32Array[] = [];
          for (let t = 0; t < H; t++) {
            policy.push(column(said[`policy${t}`] as Float32Array, c, C, K));
            logFlow.push(column(said[`flow${t}`] as Float32Array, c, C, 1));
          }
          const logReward = rewards ? column(said.logReward as Float32Array, c, C, 1) : null;
          yield { policy, logFlow, logReward };
        }
      }
    },
    async channel(params) {
      if (!channel?.learned) return channel?.matrix ?? null;
      const logits = model.layout.view(params).channel as Float32Array;
      return Float64Array.from(logits, (logit, i) => {
        const row = logits.subarray(i - (i % K), i - (i % K) + K);
        return Math.exp(logit) / row.reduce((sum, other) => sum + Math.exp(other), 0);
      });
    },
    dispose: () => program.dispose(),
  };
}

/** The tokens of all Kᵗ prefixes at each of their t places, one-hot: t × [Kᵗ·K]. */
function prefixes(K: number, t: number): Float32Array[] {
  const n = K ** t;
  return Array.from({ length: t }, (_, place) => {
    const token = new Float32Array(n * K);
    for (let p = 0; p < n; p++) token[p * K + (Math.floor(p / K ** (t - 1 - place)) % K)] = 1;
    return token;
  });
}

/** Entries of one context from [n, C, width], as [n·width]. */
function column(array: Float32Array, c: number, C: number, width: number): Float32Array {
  const n = array.length / (C * width);
  const out = new Float32Array(n * width);
  for (let p = 0; p < n; p++) {
    out.set(array.subarray((p * C + c) * width, (p * C + c + 1) * width), p * width);
  }
  return out;
}

/** Chosen rows of an array whose rows have this spec. */
function rowsOf(array: TypedArray, rows: readonly number[], { shape, dtype }: ArraySpec): TypedArray {
  const size = sizeOf(shape);
  const chosen = allocate({ shape: [rows.length, ...shape], dtype });
  rows.forEach((row, i) => {
    chosen.set(array.subarray(row * size, (row + 1) * size), i * size);
  });
  return chosen;
}
