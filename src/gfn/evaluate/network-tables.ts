// Trained networks written out: what they say of every state of a list.

import type { numpy as np } from "@jax-js/jax";
import { compile, type EngineName, spec, type TypedArray } from "../../engine/index.ts";
import type { Enumeration } from "../enumeration.ts";
import type { Model } from "../model.ts";
import { longestPast, summaryOf, takesThought } from "../reading.ts";
import type { PolicyTable } from "./exact.ts";
import type { ListedStates } from "./listed-states.ts";

/** States per call: large enough to be fast, small enough for little memory. */
const CHUNK = 4096;

/** The two flat vectors that are trained. */
export interface ModelParameters {
  readonly policy: Float32Array;
  readonly dynamics: Float32Array;
}

export interface NetworkTables {
  /** π(a|s), normalised in float64. */
  readonly table: PolicyTable;
  /** log F of the start. */
  readonly logFlow: number;
  /** log P̂(c | s, a), [states · outcomes · outcomes]; null unless it was asked for. */
  readonly logDynamics: Float32Array | null;
}

export interface NetworkReader {
  read(parameters: ModelParameters): Promise<NetworkTables>;
  dispose(): Promise<void>;
}

export interface NetworkReaderOptions {
  readonly model: Model;
  /** The model's environment, listed. */
  readonly states: ListedStates;
  /** Whether to read the dynamics model too. */
  readonly usesDynamics: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/**
 * Compiles the networks for evaluation: a program of their own, so evaluating never touches training. ModelParameters are
 * inputs of every call. As state of the program they would be written once, but every call would copy them from one
 * buffer to the other, which takes longer.
 */
export async function networkReader({
  model,
  states: { listed, inputsOf },
  usesDynamics,
  engine,
  threads,
}: NetworkReaderOptions): Promise<NetworkReader> {
  const { states, actions, outcomes: C } = listed;
  const { environment } = model;
  const rows = Math.min(CHUNK, states);
  const evaluate = (inputs: Readonly<Record<string, np.Array>>): Record<string, np.Array> => {
    const { policy, dynamics, features, index, legal, thought } = inputs;
    const read = summaryOf(model, "policy", policy, features, thought); // [rows, width]
    const { forward, logFlow } = model.policyOf(policy, features, index, read); // [rows, actions], [rows]
    if (!usesDynamics) return { forward, logFlow };
    const readByDynamics = summaryOf(model, "dynamics", dynamics, features, thought); // [rows, width]
    const logDynamics = model.dynamicsOf(dynamics, features, index, legal, readByDynamics); // [rows, a, c]
    return { forward, logFlow, logDynamics };
  };
  const legal = usesDynamics ? legalOutcomes(listed) : new Uint8Array(0);
  const chunks: Record<string, TypedArray>[] = [];
  for (let start = 0; start < states; start += rows) {
    // The last chunk is filled up with its last state.
    const numbers = Int32Array.from({ length: rows }, (_, i) => Math.min(start + i, states - 1));
    const padded = new Uint8Array(rows * C);
    padded.set(legal.subarray(start * C, (start + rows) * C));
    chunks.push({ ...inputsOf(numbers), ...(usesDynamics && { legal: padded }) });
  }
  // Last, so that nothing that can fail comes after it.
  const program = await compile(
    evaluate,
    {
      policy: spec([model.policyLayout.size]),
      features: spec([rows, environment.features]),
      index: spec([rows], "int32"),
      ...(takesThought(model) && { thought: spec([rows, longestPast(environment)], "int32") }),
      ...(usesDynamics && { dynamics: spec([model.dynamicsLayout.size]), legal: spec([rows, C], "bool") }),
    },
    {
      name: "evaluate",
      engine,
      threads,
      finite: ["forward", "logFlow", ...(usesDynamics ? ["logDynamics"] : [])],
    },
  );
  return {
    async read({ policy, dynamics }) {
      const table = new Float64Array(states * actions);
      const logDynamics = usesDynamics ? new Float32Array(states * C * C) : null;
      let flow = Number.NaN;
      for (const [k, chunk] of chunks.entries()) {
        const said = await program.run({ policy, ...(usesDynamics && { dynamics }), ...chunk });
        const start = k * rows;
        const count = Math.min(rows, states - start);
        if (k === 0) flow = said.logFlow[0];
        for (let row = 0; row < count; row++) softmaxInto(table, start + row, said.forward, row, listed);
        logDynamics?.set((said.logDynamics as Float32Array).subarray(0, count * C * C), start * C * C);
      }
      return { table, logFlow: flow, logDynamics };
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
  { actions, offsets }: Enumeration,
): void {
  const [start, from] = [state * actions, row * actions];
  const allowed = (action: number) => offsets[start + action + 1] > offsets[start + action];
  let peak = Number.NEGATIVE_INFINITY;
  for (let a = 0; a < actions; a++) if (allowed(a)) peak = Math.max(peak, logits[from + a]);
  let sum = 0;
  for (let a = 0; a < actions; a++) {
    if (!allowed(a)) continue;
    table[start + a] = Math.exp(logits[from + a] - peak);
    sum += table[start + a];
  }
  for (let a = 0; a < actions; a++) table[start + a] /= sum;
}

/** 1 where some intention in a state can come out as an outcome, [states · outcomes]. */
function legalOutcomes({ states, actions, outcomes, offsets, outcome }: Enumeration): Uint8Array {
  const legal = new Uint8Array(states * outcomes);
  for (let state = 0; state < states; state++) {
    for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
      if (outcome[i] >= 0) legal[state * outcomes + outcome[i]] = 1;
    }
  }
  return legal;
}
