// Exports a trained model as one `.onnx` file. Its descriptions and metadata contain everything that is needed to sample
// from it, for example in Python (docs/python-sampling.md).

import { numpy as np } from "@jax-js/jax";
import { spec } from "../../engine/index.ts";
import { toOnnx } from "../../engine/onnx/index.ts";
import { checkSizes } from "../../nn/checks.ts";
import { hasRegimes, isConstrained, isGrid, isSequence, letterTexts } from "../environment/capabilities.ts";
import type { ConstrainedSequenceEnvironment } from "../environment/constrained-sequence.ts";
import type { Environment } from "../environment/environment.ts";
import type { HypergridEnvironment } from "../environment/hypergrid.ts";
import type { SequenceEnvironment } from "../environment/sequence.ts";
import type { ModelParameters } from "../evaluate/network-tables.ts";
import {
  featuresContainOutcomes,
  historyEmbeddingOf,
  maxHistoryLength,
  needsThoughtInput,
} from "./history-embedding.ts";
import type { Model } from "./model.ts";

/** Options of `exportModel`. */
export interface ExportModelOptions {
  /** Number of states per call, which is fixed in the file. */
  readonly rows: number;
  /** Whether to export the dynamics model too. Set to false if it was not trained. */
  readonly includeDynamics: boolean;
  readonly task?: { readonly name: string; readonly label: string };
  /** Further metadata, such as the seed. Entries that the export writes itself take precedence. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Version of the inputs, outputs and metadata; to be raised with every incompatible change. */
const FORMAT = "1";

/**
 * The networks with their weights. Inputs: `state` float32 [rows, features]; `index` int32 [rows] if a network has a state
 * table; `thought` int32 [rows, maxHistoryLength] if a network is conditioned on the thought. Outputs: `policyLogits`
 * [rows, actions], not masked; `logFlow` [rows]; `logDynamics` [rows, actions, outcomes], not masked, if included.
 */
export function exportModel(
  model: Model,
  parameters: ModelParameters,
  { rows, includeDynamics, task, metadata }: ExportModelOptions,
): Uint8Array {
  const { environment, policyLayout, dynamicsLayout } = model;
  checkSizes("exportModel", { rows });
  checkParameters("policy", parameters.policy, policyLayout.size);
  if (includeDynamics) checkParameters("dynamics", parameters.dynamics, dynamicsLayout.size);
  const hasStateTable =
    policyLayout.entries.some(({ path }) => path.startsWith("network.stateTable.")) ||
    (includeDynamics && dynamicsLayout.entries.some(({ path }) => path.startsWith("stateTable.")));
  const isHistoryConditioned =
    model.historyInputs.policy !== undefined ||
    (includeDynamics && model.historyInputs.dynamics !== undefined);
  if (isHistoryConditioned && !featuresContainOutcomes(environment)) {
    throw new RangeError(
      `exportModel: the networks are history-conditioned, but the states of ${environment.name} do not contain the history; train without an encoder to export`,
    );
  }
  const texts = textsFor(environment);
  const logZ = policyLayout.view(parameters.policy).logZ?.[0];

  const networks = (inputs: Readonly<Record<string, np.Array>>): Record<string, np.Array> => {
    const { state, index = np.zeros([rows], { dtype: np.int32 }), thought } = inputs; // [rows, features], [rows], [rows, L]
    const policy = np.array(parameters.policy); // [parameters]
    const embedding = historyEmbeddingOf(model, "policy", policy, state, thought); // [rows, width]
    const { forward, logFlow } = model.applyPolicy(policy, state, index, embedding); // [rows, actions], [rows]
    if (!includeDynamics) return { policyLogits: forward, logFlow };
    const legal = np.ones([1, environment.outcomes], { dtype: np.bool }); // [1, outcomes]
    const dynamics = np.array(parameters.dynamics); // [parameters]
    const dynamicsEmbedding = historyEmbeddingOf(model, "dynamics", dynamics, state, thought); // [rows, width]
    const logDynamics = model.applyDynamics(dynamics, state, index, legal, dynamicsEmbedding); // [rows, a, c]
    return { policyLogits: forward, logFlow, logDynamics };
  };
  return toOnnx(
    networks,
    {
      state: spec([rows, environment.features]),
      ...(hasStateTable && { index: spec([rows], "int32") }),
      ...(needsThoughtInput(model) && { thought: spec([rows, maxHistoryLength(environment)], "int32") }),
    },
    {
      name: "policy",
      description: [
        `The policy${includeDynamics ? " and the learned dynamics" : ""} of a GFlowNet for ${environment.name}.`,
        ...(task ? [`Trained for ${task.name}: ${task.label}.`] : []),
        texts.noise,
      ].join(" "),
      ports: {
        ...texts.ports,
        thought:
          "Actions of the steps so far, one row per string: indices of letters, −1 after the last step.",
        logFlow: "Logarithm of the flow through the state; untrained if the objective does not learn it.",
      },
      metadata: {
        ...metadata,
        ...(task && { task: task.name, label: task.label }),
        environment: environment.name,
        ...texts.metadata,
        stick: `${environment.stick}`,
        maxSteps: `${environment.maxSteps}`,
        ...(environment.hasStop && { stopAction: `${environment.actions - 1}` }),
        ...(logZ !== undefined && { logZ: `${logZ}` }),
        modelFormat: FORMAT,
      },
    },
  );
}

function checkParameters(name: string, numbers: Float32Array, size: number): void {
  if (numbers.length !== size) {
    throw new RangeError(`exportModel: ${name} has ${numbers.length} parameters, but the model has ${size}`);
  }
  const wrong = numbers.findIndex((number) => !Number.isFinite(number));
  if (wrong < 0) return;
  throw new RangeError(`exportModel: parameter ${wrong} of ${name} is ${numbers[wrong]}; train again`);
}

/** Descriptions of an environment for a reader who has only the file. */
interface EnvironmentTexts {
  readonly noise: string;
  readonly ports: Readonly<Record<"state" | "index" | "policyLogits" | "logDynamics", string>>;
  readonly metadata: Readonly<Record<string, string>>;
}

function textsFor(environment: Environment): EnvironmentTexts {
  if (isSequence(environment)) return sequenceTexts(environment);
  if (isGrid(environment)) return gridTexts(environment);
  const stop = environment.hasStop ? ", of which the last one is the stop" : "";
  return {
    noise: environment.noiseDescription
      ? `The environment has ${environment.noiseDescription}; its rules are not in this file.`
      : "The environment is user-defined, so its rules are not in this file.",
    ports: {
      state: "Features of the states, one row per state.",
      index: "Index of each state in the environment.",
      policyLogits: `Logits of the actions${stop}: mask illegal actions, then softmax gives the policy.`,
      logDynamics:
        "Learned log-probability that action i (second axis) has outcome j (third axis), computed as if all outcomes were legal: mask illegal ones and normalise again.",
    },
    metadata: { kind: "own" },
  };
}

function sequenceTexts(environment: SequenceEnvironment): EnvironmentTexts {
  const { length, variable, indexFactor: factor, outcomes: A } = environment;
  const letters = letterTexts(environment);
  const order = A <= 8 ? `in the order ${letters.join(" ")}` : "in the order of the alphabet";
  const wraps = factor === A ? "" : ", in wrapping int32 arithmetic";
  const stop = variable ? ", then stop" : "";
  const rule = variable ? ` After ${length} letters only the stop is legal.` : "";
  const masked = isConstrained(environment) ? "mask letters without a legal completion, then " : "";
  const index =
    factor === undefined
      ? "Index of the prefix written so far among all prefixes that can occur, counted from 0 in lexicographic order, a prefix before its continuations."
      : `Index of the prefix written so far: 0 for the empty one; each letter, counted from 0, changes it to ${factor} * index + 1 + letter${wraps}.`;
  return {
    noise:
      (isConstrained(environment)
        ? constrainedNoise(environment)
        : noiseText(
            environment,
            `the environment replaces the letter by one drawn uniformly from all ${A}`,
          )) + regimeText(environment),
    ports: {
      state: `The letters written so far, one row per string: ${length} positions of ${A} one-hot numbers, ${order}, all 0 at positions that are not written yet.`,
      index,
      policyLogits: `Logits of the next action, ${order}${stop}: ${masked}softmax gives the policy.${rule}`,
      logDynamics: `Learned log-probability that the action to write letter i (second axis) writes letter j (third axis), ${order}.`,
    },
    metadata: {
      kind: "strings",
      alphabet: letters.join(" "),
      length: `${length}`,
      variable: `${variable}`,
      ...(factor !== undefined && { indexFactor: `${factor}` }),
      ...(isConstrained(environment) && { constraints: JSON.stringify(environment.constraints) }),
    },
  };
}

function constrainedNoise(environment: ConstrainedSequenceEnvironment): string {
  const { noise, outcomes: A } = environment;
  if (noise.kind === "substitution") {
    return `The environment may write another letter, by a substitution matrix${noise.mode === "within" ? " conditioned on the letters with a legal completion" : ""}.`;
  }
  const letters =
    noise.kind === "stick" && noise.mode === "free" ? `all ${A}` : "those with a legal completion";
  return noiseText(environment, `the environment replaces the letter by one drawn uniformly from ${letters}`);
}

function gridTexts(environment: HypergridEnvironment): EnvironmentTexts {
  const { dimensions: d, side } = environment;
  return {
    noise: noiseText(
      environment,
      "the environment replaces the move by one along an axis drawn uniformly from those that are not at their end",
    ),
    ports: {
      state: `The cells, one row per cell: ${d} axes of ${side} one-hot numbers for the coordinate, counted from 0.`,
      index: `Index of the cell: the sum over the axes k, counted from 0, of coordinate k times ${side} to the power k.`,
      policyLogits: `Logits of the next action: +1 along each of ${d} axes, then stop. Mask axes at coordinate ${side - 1}, then softmax gives the policy.`,
      logDynamics: `Learned log-probability that a move along axis i (second axis) goes along axis j (third axis), computed as if no axis were at its end: mask those that are and normalise again.`,
    },
    metadata: { kind: "grid", dimensions: `${d}`, side: `${side}` },
  };
}

/** Explains the hidden regimes, under which the noise level is only a mean. */
function regimeText(environment: Environment): string {
  if (!hasRegimes(environment)) return "";
  const { regimes, switching } = environment;
  const levels = regimes.map(({ stick, share }) => `${stick} with probability ${share}`).join(", ");
  const redrawn = switching > 0 ? `, and again after each letter with probability ${switching}` : "";
  return ` This probability is a mean: the level is hidden and drawn at the start of each string${redrawn}: ${levels}.`;
}

/** `replacement` is the event that has the probability `stick`. */
function noiseText({ stick, hasStop }: Environment, replacement: string): string {
  if (stick === 0) return "The environment has no noise: the outcome equals the action.";
  const exception = hasStop ? ", except for a stop," : "";
  return `The environment is noisy: with probability ${stick}${exception} ${replacement}.`;
}
