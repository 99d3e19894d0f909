// Outputs of the networks for all states of an enumeration, as tables for exact evaluation.

import type { numpy as np } from "@jax-js/jax";
import { compile, type EngineName, spec, type TypedArray } from "../../engine/index.ts";
import { softmax } from "../../math/softmax.ts";
import type { Enumeration } from "../environment/enumeration.ts";
import { historyEmbeddingOf, maxHistoryLength, needsThoughtInput } from "../policy/history-embedding.ts";
import type { Model } from "../policy/model.ts";
import type { EnumeratedStates } from "./enumerated-states.ts";
import type { PolicyTable } from "./exact.ts";

/** States per call of the program, which bounds its memory. */
const CHUNK = 4096;

/** Trained parameters, one flat vector per network. */
export interface ModelParameters {
  readonly policy: Float32Array;
  readonly dynamics: Float32Array;
}

export interface NetworkTables {
  /** π(a|s), normalised in float64. */
  readonly policy: PolicyTable;
  /** log F of the start state. */
  readonly logFlow: number;
  /** log P̂(c | s, a), [states · outcomes · outcomes]; null without `usesDynamics`. */
  readonly logDynamics: Float32Array | null;
}

export interface NetworkTabulator {
  tabulate(parameters: ModelParameters): Promise<NetworkTables>;
  dispose(): Promise<void>;
}

export interface NetworkTabulatorOptions {
  readonly model: Model;
  /** The enumerated states of the model. */
  readonly states: EnumeratedStates;
  /** Whether to tabulate the dynamics model too. */
  readonly usesDynamics: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/**
 * Compiles a program that evaluates the networks and shares nothing with training. Parameters are inputs of each call:
 * if they were part of the program's state, every call would copy them from one state buffer to the other, which is slower.
 */
export async function networkTabulator({
  model,
  states: { enumeration, networkInputs },
  usesDynamics,
  engine,
  threads,
}: NetworkTabulatorOptions): Promise<NetworkTabulator> {
  const { states, actions, outcomes: C } = enumeration;
  const { environment } = model;
  const rows = Math.min(CHUNK, states);
  const evaluate = (inputs: Readonly<Record<string, np.Array>>): Record<string, np.Array> => {
    const { policy, dynamics, features, index, legal, thought } = inputs;
    const history = historyEmbeddingOf(model, "policy", policy, features, thought); // [rows, width]
    const { forward, logFlow } = model.applyPolicy(policy, features, index, history); // [rows, actions], [rows]
    if (!usesDynamics) return { forward, logFlow };
    const dynamicsHistory = historyEmbeddingOf(model, "dynamics", dynamics, features, thought); // [rows, width]
    const logDynamics = model.applyDynamics(dynamics, features, index, legal, dynamicsHistory); // [rows, a, c]
    return { forward, logFlow, logDynamics };
  };
  const legal = usesDynamics ? legalOutcomes(enumeration) : new Uint8Array(0);
  const chunks: Record<string, TypedArray>[] = [];
  for (let start = 0; start < states; start += rows) {
    // The last chunk is padded with the last state.
    const indices = Int32Array.from({ length: rows }, (_, i) => Math.min(start + i, states - 1));
    const padded = new Uint8Array(rows * C);
    padded.set(legal.subarray(start * C, (start + rows) * C));
    chunks.push({ ...networkInputs(indices), ...(usesDynamics && { legal: padded }) });
  }
  // Compiled last: nothing after this can fail and leak the program.
  const program = await compile(
    evaluate,
    {
      policy: spec([model.policyLayout.size]),
      features: spec([rows, environment.features]),
      index: spec([rows], "int32"),
      ...(needsThoughtInput(model) && { thought: spec([rows, maxHistoryLength(environment)], "int32") }),
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
    async tabulate({ policy, dynamics }) {
      const table = new Float64Array(states * actions);
      const logDynamics = usesDynamics ? new Float32Array(states * C * C) : null;
      let logFlow = Number.NaN;
      for (const [k, chunk] of chunks.entries()) {
        const outputs = await program.run({ policy, ...(usesDynamics && { dynamics }), ...chunk });
        const start = k * rows;
        const count = Math.min(rows, states - start);
        if (k === 0) logFlow = outputs.logFlow[0];
        for (let row = 0; row < count; row++)
          softmaxInto(table, start + row, outputs.forward as Float32Array, row, enumeration);
        logDynamics?.set((outputs.logDynamics as Float32Array).subarray(0, count * C * C), start * C * C);
      }
      return { policy: table, logFlow, logDynamics };
    },
    dispose: () => program.dispose(),
  };
}

/** Writes the softmax of one row of logits over the legal actions of the state. */
function softmaxInto(
  table: PolicyTable,
  state: number,
  logits: Float32Array,
  row: number,
  { actions, offsets }: Enumeration,
): void {
  const [start, from] = [state * actions, row * actions];
  const isLegal = (action: number) => offsets[start + action + 1] > offsets[start + action];
  table.set(softmax(logits.subarray(from, from + actions), isLegal), start);
}

/** 1 for each outcome that some action of the state can have, [states · outcomes]. */
function legalOutcomes({ states, actions, outcomes, offsets, outcome }: Enumeration): Uint8Array {
  const legal = new Uint8Array(states * outcomes);
  for (let state = 0; state < states; state++) {
    for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
      if (outcome[i] >= 0) legal[state * outcomes + outcome[i]] = 1;
    }
  }
  return legal;
}
