// Tables for the exact evaluation of a GFlowNet over token paths, on the tree of all prefixes: policy logits and log
// flow of every state of a context, and the log reward of every path.
//
// A prefix of t tokens has the index that its tokens form in base K, first token first. Token x after prefix p gives the
// prefix p·K + x.

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
import { oneHotRows } from "../../nn/one-hot.ts";
import { contextArrays, contextInputs, contextSpecs, repeatContexts } from "./context-arrays.ts";
import type { FlowModel } from "./flow-model.ts";

/** Largest number of paths, K^H, that tables are computed for. */
export const MAX_PATHS = 16_384;

/** Largest number of rows in one pass, unless a single context has more. */
const MAX_ROWS = 20_000;

/** The tables of one context: one entry per length t < H, over the Kᵗ prefixes of that length. */
export interface PrefixTables {
  /** Logits of the policy, H × [Kᵗ·K]. */
  readonly policy: readonly Float32Array[];
  /** log F, H × [Kᵗ]. */
  readonly logFlow: readonly Float32Array[];
  /** log R of all paths as the program computes it, [K^H]; null if the tabulator was created without rewards. */
  readonly logReward: Float32Array | null;
}

/** Tabulates the outputs of a model for all prefixes of a path. */
export interface PrefixTabulator {
  /** Yields the tables of all contexts in `inputs`, one context after the other. */
  tabulate(params: Float32Array, inputs: Readonly<Record<string, TypedArray>>): AsyncGenerator<PrefixTables>;
  /** The learned channel Ĉ[a, x], or the true channel if it is not learned; null without a channel. */
  channel(params: Float32Array): Promise<Float64Array | null>;
  /** Frees the compiled program. */
  dispose(): Promise<void>;
}

/** Options of `prefixTabulator`. */
export interface PrefixTabulatorOptions {
  /** Whether the GFlowNet was trained in the forward-looking form. Default: false. */
  readonly forwardLooking?: boolean;
  /** Whether to compute rewards too. Default: true; false saves time if exact rewards are available. */
  readonly rewards?: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** Compiles a tabulator. All paths must be few enough to enumerate. */
export async function prefixTabulator(
  model: FlowModel,
  options: PrefixTabulatorOptions = {},
): Promise<PrefixTabulator> {
  const { forwardLooking = false, rewards = true, engine, threads } = options;
  const { tokens: K, horizon: H, inputs: specs, reward, channel } = model.problem;
  const leaves = K ** H;
  if (leaves > MAX_PATHS) {
    throw new RangeError(
      `flow: the tree of all prefixes may have at most ${MAX_PATHS} paths, got ${K}^${H} = ${leaves}`,
    );
  }
  const C = Math.max(1, Math.floor(MAX_ROWS / (rewards ? leaves : leaves / K))); // contexts per pass
  const names = Object.keys(specs);

  const tables: ArrayFunction = (inputs) => {
    const params = model.params(inputs.params);
    const arrays = contextArrays(names, inputs); // [C, …]
    const context = model.encode(params, arrays);
    const outputs: Record<string, np.Array> = {};
    for (let t = 0; t <= (rewards ? H : H - 1); t++) {
      const n = K ** t;
      const prefix = prefixTokens(K, t).map((token) =>
        np.broadcastTo(np.array(token, { shape: [n, 1, K] }), [n, C, K]).reshape([n * C, K]),
      ); // t × [n·C, K]
      const rest = Array.from({ length: H - t }, () => np.zeros([n * C, K])); // (H − t) × [n·C, K]
      const padded = np.stack([...prefix, ...rest], 1); // [n·C, H, K]
      const repeated = repeatContexts(arrays, n); // [n·C, …]
      if (t === H) {
        outputs.logReward = reward.logReward(padded, repeated).reshape([n, C]); // [K^H, C]
        break;
      }
      const { policy, flow } = model.atStep(params, t, repeatContexts(context, n), prefix, n * C); // [n·C, K], [n·C, 1]
      outputs[`policy${t}`] = policy.reshape([n, C, K]); // [n, C, K]
      const partial =
        forwardLooking && t > 0
          ? np.sum(reward.partialLogRewards!(padded, repeated).slice([], [0, t]), 1)
          : null; // [n·C]
      const logFlow = flow.reshape([n * C]); // [n·C]
      outputs[`flow${t}`] = (partial ? np.add(logFlow, partial) : logFlow).reshape([n, C]); // [n, C]
    }
    return outputs;
  };

  const example: Record<string, ArraySpec> = {
    params: spec([model.layout.size]),
    ...contextSpecs(specs, C),
  };
  const program = await compile(tables, example, { name: "tables", engine, threads });
  return {
    async *tabulate(params, inputs) {
      const count = inputs[names[0]].length / sizeOf(specs[names[0]].shape);
      for (let start = 0; start < count; start += C) {
        // The last chunk is padded with its first context.
        const rows = Array.from({ length: C }, (_, i) => (start + i < count ? start + i : start));
        const chunk = Object.fromEntries(
          names.map((name) => [name, selectRows(inputs[name], rows, specs[name])]),
        );
        const outputs = await program.run({ params, ...contextInputs(names, chunk) });
        for (let c = 0; c < Math.min(C, count - start); c++) {
          const policy: Float32Array[] = [];
          const logFlow: Float32Array[] = [];
          for (let t = 0; t < H; t++) {
            policy.push(contextColumn(outputs[`policy${t}`] as Float32Array, c, C, K));
            logFlow.push(contextColumn(outputs[`flow${t}`] as Float32Array, c, C, 1));
          }
          const logReward = rewards ? contextColumn(outputs.logReward as Float32Array, c, C, 1) : null;
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

/** The tokens of all Kᵗ prefixes at each of their t positions, one-hot: t × [Kᵗ·K]. */
function prefixTokens(K: number, t: number): Float32Array[] {
  const n = K ** t;
  return Array.from({ length: t }, (_, position) =>
    oneHotRows(
      Array.from({ length: n }, (_, p) => Math.floor(p / K ** (t - 1 - position)) % K),
      K,
    ),
  );
}

/** The entries of context c in an array [n, C, width], as [n·width]. */
function contextColumn(array: Float32Array, c: number, C: number, width: number): Float32Array {
  const n = array.length / (C * width);
  const out = new Float32Array(n * width);
  for (let p = 0; p < n; p++) {
    out.set(array.subarray((p * C + c) * width, (p * C + c + 1) * width), p * width);
  }
  return out;
}

/** Copies the selected rows of an array whose rows have this spec. */
function selectRows(array: TypedArray, rows: readonly number[], { shape, dtype }: ArraySpec): TypedArray {
  const size = sizeOf(shape);
  const chosen = allocate({ shape: [rows.length, ...shape], dtype });
  rows.forEach((row, i) => {
    chosen.set(array.subarray(row * size, (row + 1) * size), i * size);
  });
  return chosen;
}
