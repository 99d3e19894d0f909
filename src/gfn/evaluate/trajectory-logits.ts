// Network outputs along given trajectories: the logits of the policy before every step and, on request, the learned
// dynamics. Log-probabilities of objects are computed from them on the host, in float64.

import { numpy as np } from "@jax-js/jax";
import { compile, type EngineName, spec } from "../../engine/index.ts";
import type { State } from "../environment/environment.ts";
import type { History, Model } from "../policy/model.ts";
import { repeatStartRow } from "../policy/networks.ts";
import { legalOutcomes } from "../sampling/batch.ts";
import { followTrajectories, type Trajectories } from "../sampling/rollout.ts";
import type { ModelParameters } from "./network-tables.ts";

/** Trajectories as indices, ordered by step and then by row: −1 for unknown actions, stops and after the end. */
export interface GivenTrajectories {
  /** int32 [T · rows] */
  readonly actions: Int32Array;
  /** int32 [T · rows] */
  readonly outcomes: Int32Array;
}

export interface StepOutputs {
  /** Logits of the actions before each step, [T · rows · actions]. */
  readonly logits: Float32Array;
  /** 1 for each legal action, [T · rows · actions]. */
  readonly allowed: Float32Array;
  /** log P̂(c | s, a), [T · rows · outcomes · outcomes]; null without `usesDynamics`. */
  readonly logDynamics: Float32Array | null;
}

export interface TrajectoryLogits {
  /** Number of trajectories per call. */
  readonly rows: number;
  run(parameters: ModelParameters, trajectories: GivenTrajectories): Promise<StepOutputs>;
  dispose(): Promise<void>;
}

export interface TrajectoryLogitsOptions {
  readonly model: Model;
  readonly rows: number;
  /** Whether to return the learned dynamics. */
  readonly usesDynamics: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

type Inputs = Readonly<Record<string, np.Array>>;

export async function trajectoryLogits({
  model,
  rows,
  usesDynamics,
  engine,
  threads,
}: TrajectoryLogitsOptions): Promise<TrajectoryLogits> {
  const { environment } = model;
  const { maxSteps: T, actions: A } = environment;
  const evaluate = ({ policy, dynamics, actions, outcomes }: Inputs): Record<string, np.Array> => {
    const trajectories = followTrajectories(environment, { actions, outcomes });
    const states = trajectories.states.slice(0, T);
    const history = historyBefore(trajectories, rows);
    const { features, index } = stateRows(states);
    const outputs = model.unpackPolicyOutputs(model.packedPolicyOutputs(policy, features, index, history));
    const logits = repeatStartRow(outputs.forward, rows); // [T·rows, A]
    const allowed = np.concatenate(
      trajectories.allowed.map((mask) => np.broadcastTo(mask.astype(np.float32), [rows, A])),
      0,
    ); // [T·rows, A]
    if (!usesDynamics) return { logits, allowed };
    const embedding = model.historyInputs.dynamics && model.historyEmbeddings("dynamics", dynamics, history);
    const logDynamics = model.applyDynamics(
      dynamics,
      repeatStartRow(features, rows),
      np.concatenate([np.broadcastTo(states[0].index, [rows]), ...states.slice(1).map((s) => s.index)], 0),
      legalOutcomes(environment, states, np.less(0.5, allowed)), // [T·rows, C]
      embedding && repeatStartRow(embedding, rows),
      history,
    ); // [T·rows, C, C]
    return { logits, allowed, logDynamics };
  };
  const program = await compile(
    evaluate,
    {
      policy: spec([model.policyLayout.size]),
      ...(usesDynamics && { dynamics: spec([model.dynamicsLayout.size]) }),
      actions: spec([T, rows], "int32"),
      outcomes: spec([T, rows], "int32"),
    },
    { name: "trajectory-logits", finite: ["logits"], engine, threads },
  );
  return {
    rows,
    async run({ policy, dynamics }, { actions, outcomes }) {
      const outputs = await program.run({ policy, ...(usesDynamics && { dynamics }), actions, outcomes });
      return {
        logits: outputs.logits as Float32Array,
        allowed: outputs.allowed as Float32Array,
        logDynamics: usesDynamics ? (outputs.logDynamics as Float32Array) : null,
      };
    },
    dispose: () => program.dispose(),
  };
}

/** The steps before the last state of the trajectories. */
function historyBefore({ actions, outcomes }: Trajectories, batch: number): History {
  const before = (steps: readonly np.Array[]) => np.concatenate(steps.slice(0, -1), 0); // [(T − 1)·rows, …]
  return {
    batch,
    steps: actions.length > 1 ? { action: before(actions), outcome: before(outcomes) } : null,
  };
}

/** Features and indices of the states before each step, with a single row for the start, which all rows share. */
function stateRows(states: readonly State[]): Pick<State, "features" | "index"> {
  const [first, ...later] = states;
  const startOf = (array: np.Array) => (array.shape[0] > 1 ? np.split(array, [1], 0)[0] : array); // [1, …]
  return {
    features: np.concatenate([startOf(first.features), ...later.map((state) => state.features)], 0), // [1 + (T − 1)·rows, features]
    index: np.concatenate([startOf(first.index), ...later.map((state) => state.index)], 0), // [1 + (T − 1)·rows]
  };
}
