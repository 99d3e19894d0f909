// A trained policy written out: its probabilities in every state of an enumerable environment.

import { compile, type EngineName, spec } from "../../engine/index.ts";
import type { ArraysOf, Layout } from "../../nn/index.ts";
import type { Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment } from "../environment.ts";
import type { NetworkParams, policyNetwork } from "../networks.ts";
import type { PolicyTable } from "./exact.ts";

/** States per call: large enough to be fast, small enough for little memory. */
const CHUNK = 4096;

export interface TableReader {
  /** π(a|s) of all states in float64, and log F of the start. */
  read(policy: Float32Array): Promise<{ readonly table: PolicyTable; readonly logZ: number }>;
  dispose(): Promise<void>;
}

/** Compiles the policy for evaluation. It has its own program, so evaluating never touches training. */
export async function policyTableReader(
  environment: EnumerableEnvironment,
  listed: Enumeration,
  network: ReturnType<typeof policyNetwork>,
  layout: Layout<NetworkParams>,
  engine?: EngineName,
): Promise<TableReader> {
  const rows = Math.min(CHUNK, listed.states);
  const program = await compile(
    ({ policy, features, index }) => {
      const { forward, logFlow } = network.apply(
        layout.split(policy) as ArraysOf<NetworkParams>,
        features,
        index,
      );
      return { forward, logFlow };
    },
    {
      policy: spec([layout.size]),
      features: spec([rows, environment.features]),
      index: spec([rows], "int32"),
    },
    { name: "evaluate", engine },
  );
  return {
    async read(policy) {
      const table = new Float64Array(listed.states * listed.actions);
      let logZ = Number.NaN;
      for (let start = 0; start < listed.states; start += rows) {
        const index = Int32Array.from({ length: rows }, (_, i) => Math.min(start + i, listed.states - 1));
        const features = environment.featuresOf(index);
        const { forward, logFlow } = await program.run({ policy, features, index });
        if (start === 0) logZ = logFlow[0];
        const count = Math.min(rows, listed.states - start);
        for (let row = 0; row < count; row++) softmaxInto(table, start + row, forward, row, listed);
      }
      return { table, logZ };
    },
    dispose: () => program.dispose(),
  };
}

/** Softmax of one row of logits over the actions that the state allows. */
function softmaxInto(
  table: PolicyTable,
  state: number,
  logits: ArrayLike<number>,
  row: number,
  listed: Enumeration,
): void {
  const { actions, offsets } = listed;
  const allowed = (action: number) =>
    offsets[state * actions + action + 1] > offsets[state * actions + action];
  let peak = Number.NEGATIVE_INFINITY;
  for (let a = 0; a < actions; a++) if (allowed(a)) peak = Math.max(peak, logits[row * actions + a]);
  let sum = 0;
  for (let a = 0; a < actions; a++) {
    if (!allowed(a)) continue;
    const weight = Math.exp(logits[row * actions + a] - peak);
    table[state * actions + a] = weight;
    sum += weight;
  }
  for (let a = 0; a < actions; a++) table[state * actions + a] /= sum;
}
