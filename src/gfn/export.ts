// A trained model as one `.onnx` file that says of itself all that is needed to sample from it, in Python say
// (docs/python-sampling.md).

import { numpy as np } from "@jax-js/jax";
import { spec } from "../engine/index.ts";
import { toOnnx } from "../engine/onnx/index.ts";
import { checkSizes } from "../nn/checks.ts";
import type { Environment } from "./environment.ts";
import type { HypergridEnvironment } from "./environments/hypergrid.ts";
import { isGrid, isStrings, lettersOf } from "./environments/kind.ts";
import { hasRegimes } from "./environments/regime.ts";
import type { LongSequenceEnvironment } from "./environments/sequence.ts";
import type { ModelParameters } from "./evaluate/network-tables.ts";
import type { Model } from "./model.ts";
import { hasReadableStates, longestPast, summaryOf, takesThought } from "./reading.ts";

export interface ExportModelOptions {
  /** States that one call takes, in any number of episodes; fixed in the file. */
  readonly rows: number;
  /** Whether the dynamics model was trained; otherwise it is left out. */
  readonly learnsDynamics: boolean;
  readonly task?: { readonly name: string; readonly label: string };
  /** Further facts for the file's metadata, such as the seed. What the file says by itself wins. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** Ports and facts of these files; raised when a reader must know. */
const FORMAT = "1";

/**
 * The trained networks with their weights. Inputs: `state` float32 [rows, features] and, where a memory is used, `index`
 * int32 [rows], and where the thought is read, `thought` int32 [rows, steps before a state at most]. Outputs: `policyLogits` [rows, actions], not masked, `logFlow` [rows] and, if learned, `logDynamics`
 * [rows, intentions, outcomes] with all outcomes legal.
 */
export function exportModel(
  model: Model,
  parameters: ModelParameters,
  { rows, learnsDynamics, task, facts }: ExportModelOptions,
): Uint8Array {
  const { environment, policyLayout, dynamicsLayout } = model;
  checkSizes("exportModel", { rows });
  checkNumbers("policy", parameters.policy, policyLayout.size);
  if (learnsDynamics) checkNumbers("dynamics", parameters.dynamics, dynamicsLayout.size);
  const remembers =
    policyLayout.entries.some(({ path }) => path.startsWith("network.memory.")) ||
    (learnsDynamics && dynamicsLayout.entries.some(({ path }) => path.startsWith("memory.")));
  const reading = model.reads.policy !== undefined || (learnsDynamics && model.reads.dynamics !== undefined);
  if (reading && !hasReadableStates(environment)) {
    throw new RangeError(
      `exportModel: the networks read the episode so far, which the states of ${environment.name} do not show; train without an encoder to export`,
    );
  }
  const said = wordsFor(environment);
  const logZ = policyLayout.view(parameters.policy).logZ?.[0];

  const networks = (inputs: Readonly<Record<string, np.Array>>): Record<string, np.Array> => {
    const { state, index = np.zeros([rows], { dtype: np.int32 }), thought } = inputs; // [rows, features], [rows], [rows, L]
    const policy = np.array(parameters.policy); // [parameters]
    const read = summaryOf(model, "policy", policy, state, thought); // [rows, width]
    const { forward, logFlow } = model.policyOf(policy, state, index, read); // [rows, actions], [rows]
    if (!learnsDynamics) return { policyLogits: forward, logFlow };
    const legal = np.ones([1, environment.outcomes], { dtype: np.bool }); // [1, outcomes]
    const dynamics = np.array(parameters.dynamics); // [parameters]
    const readByDynamics = summaryOf(model, "dynamics", dynamics, state, thought); // [rows, width]
    const logDynamics = model.dynamicsOf(dynamics, state, index, legal, readByDynamics); // [rows, a, c]
    return { policyLogits: forward, logFlow, logDynamics };
  };
  return toOnnx(
    networks,
    {
      state: spec([rows, environment.features]),
      ...(remembers && { index: spec([rows], "int32") }),
      ...(takesThought(model) && { thought: spec([rows, longestPast(environment)], "int32") }),
    },
    {
      name: "policy",
      description: [
        `The policy${learnsDynamics ? " and the learned dynamics" : ""} of a GFlowNet for ${environment.name}.`,
        ...(task ? [`Trained for ${task.name}: ${task.label}.`] : []),
        said.noise,
      ].join(" "),
      ports: {
        ...said.ports,
        thought:
          "What was intended at each step so far, a row for each string: numbers of letters, −1 after the last.",
        logFlow: "Log of the flow through the state, as far as the objective learns it.",
      },
      metadata: {
        ...facts,
        ...(task && { task: task.name, label: task.label }),
        environment: environment.name,
        ...said.facts,
        stick: `${environment.stick}`,
        maxSteps: `${environment.maxSteps}`,
        ...(environment.stops && { stopAction: `${environment.actions - 1}` }),
        ...(logZ !== undefined && { logZ: `${logZ}` }),
        modelFormat: FORMAT,
      },
    },
  );
}

function checkNumbers(name: string, numbers: Float32Array, size: number): void {
  if (numbers.length !== size) {
    throw new RangeError(`exportModel: ${name} has ${numbers.length} parameters, and the model ${size}`);
  }
  const wrong = numbers.findIndex((number) => !Number.isFinite(number));
  if (wrong < 0) return;
  throw new RangeError(`exportModel: parameter ${wrong} of ${name} is ${numbers[wrong]}; train again`);
}

/** What the environment is to somebody who has nothing but the file. */
interface Words {
  readonly noise: string;
  readonly ports: Readonly<Record<"state" | "index" | "policyLogits" | "logDynamics", string>>;
  readonly facts: Readonly<Record<string, string>>;
}

function wordsFor(environment: Environment): Words {
  if (isStrings(environment)) return ofStrings(environment);
  if (isGrid(environment)) return ofGrid(environment);
  const stop = environment.stops ? ", the last of which is to stop" : "";
  return {
    noise: environment.noise
      ? `The environment has ${environment.noise}; its rules are not in this file.`
      : "The environment is not one of the library's own, so its rules are not in this file.",
    ports: {
      state: "States, one row each, as the environment's features.",
      index: "The environment's number of each state.",
      policyLogits: `Unnormalised log-probabilities of the intentions${stop}: leave out those that are not legal, softmax gives the policy.`,
      logDynamics:
        "Learned log-probability that intention i (second axis) comes out as outcome j (third axis), as if all were legal: leave out the others and normalise again.",
    },
    facts: { kind: "own" },
  };
}

function ofStrings(environment: LongSequenceEnvironment): Words {
  const { length, variable, indexFactor: factor, outcomes: A } = environment;
  const letters = lettersOf(environment);
  const order = A <= 8 ? `in the order ${letters.join(" ")}` : "in the order of the alphabet";
  const wraps = factor === A ? "" : ", in int32 that wraps around";
  const stop = variable ? ", then stop" : "";
  const rule = variable ? ` After ${length} letters only stop is legal.` : "";
  return {
    noise:
      noiseOf(environment, `the letter that is written is drawn uniformly from all ${A}`) +
      hiddenOf(environment),
    ports: {
      state: `What is written so far, a row for each string: for each of ${length} positions ${A} numbers, 1 at the letter there, ${order}, and all 0 where nothing is written yet.`,
      index: `Number of what is written so far: 0 for nothing, and with each letter it becomes ${factor} * index + 1 + letter, letters counted from 0${wraps}.`,
      policyLogits: `Unnormalised log-probabilities of the next intention, ${order}${stop}: softmax gives the policy.${rule}`,
      logDynamics: `Learned log-probability that intended letter i (second axis) is written as letter j (third axis), ${order}.`,
    },
    facts: {
      kind: "strings",
      alphabet: letters.join(" "),
      length: `${length}`,
      variable: `${variable}`,
      indexFactor: `${factor}`,
    },
  };
}

function ofGrid(environment: HypergridEnvironment): Words {
  const { dimensions: d, side } = environment;
  return {
    noise: noiseOf(environment, "a move goes along an axis drawn uniformly from those not at their end"),
    ports: {
      state: `Where each walk stands, a row each: for each of ${d} axes ${side} numbers, 1 at the coordinate, which starts at 0.`,
      index: `Number of the cell: the sum of coordinate k times ${side} to the power k, axes counted from 0.`,
      policyLogits: `Unnormalised log-probabilities of the next intention: +1 along each of ${d} axes, then stop. Leave out axes at coordinate ${side - 1}, softmax gives the policy.`,
      logDynamics: `Learned log-probability that an intended move along axis i (second axis) goes along axis j (third axis), as if no axis were at its end: leave out those that are and normalise again.`,
    },
    facts: { kind: "grid", dimensions: `${d}`, side: `${side}` },
  };
}

/** That the probability is only a mean. */
function hiddenOf(environment: Environment): string {
  if (!hasRegimes(environment)) return "";
  const { regimes, switching } = environment;
  const levels = regimes.map(({ stick, share }) => `${stick} with probability ${share}`).join(", ");
  const redrawn = switching > 0 ? `, and again after each letter with probability ${switching}` : "";
  return ` That is the mean: the level is hidden, drawn at the start of each string${redrawn}: ${levels}.`;
}

/** `what` happens instead of the intention. */
function noiseOf({ stick, stops }: Environment, what: string): string {
  if (stick === 0) return "The environment has no noise: what is intended comes out.";
  const unless = stops ? ", unless the intention is to stop," : "";
  return `The environment is noisy: with probability ${stick}${unless} ${what} instead of the intended one.`;
}
