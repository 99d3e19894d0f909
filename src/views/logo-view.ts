// The view `logo`: how often each letter occurs at each position, in objects of the policy and in the target.

import { isSequence } from "../gfn/environment/capabilities.ts";
import type { Enumeration } from "../gfn/environment/enumeration.ts";
import { objectEnvironment } from "../gfn/environment/preference.ts";
import { UserError } from "../issues.ts";
import { letterFrequencies } from "../report/letter-frequencies.ts";
import { massBelow, nodesAfter, visitsByStep } from "./enumerated-flows.ts";
import { lettersOf } from "./labels.ts";
import { shortAll } from "./numbers.ts";
import type { OpenedRun, PolicyTables } from "./opened-run.ts";
import { SAMPLES } from "./sampled-frequencies.ts";
import type { LogoView } from "./view-data.ts";

/** Numbers of an answer. */
const MOST_NUMBERS = 24_000;

export async function logoView(run: OpenedRun): Promise<LogoView> {
  const environment = objectEnvironment(run.task.environment);
  if (!isSequence(environment)) {
    throw new UserError(`there is no logo, because the objects of ${environment.name} are not strings`);
  }
  const tables = await run.tables();
  const learned = tables
    ? policyFractions(tables)
    : letterFrequencies(
        (await run.samples(SAMPLES)).map(({ outcomes }) => outcomes),
        environment.outcomes,
      ).map(({ fractions }) => fractions);
  const target = targetFractions(run);
  const positions = Math.max(1, Math.floor(MOST_NUMBERS / (environment.outcomes * (target ? 2 : 1))));
  const shown = (fractions: readonly Float64Array[]) =>
    fractions.slice(0, positions).map((row) => shortAll(row, 6));
  return {
    view: "logo",
    exact: tables !== null,
    notes: [
      ...(tables ? [] : [`The letters of the policy are those of ${SAMPLES} samples.`]),
      ...(target ? [] : ["The letters of the target are not known, because not all strings have a score."]),
      ...(environment.variable ? ["Fractions are among the strings that reach a position."] : []),
      ...(learned.length > positions
        ? [`The first ${positions} of ${learned.length} positions are shown.`]
        : []),
    ],
    alphabet: lettersOf(environment),
    learned: shown(learned),
    target: target && shown(target),
  };
}

/** The outcome of step t is the letter at position t. */
function policyFractions({ enumeration, policy }: PolicyTables): Float64Array[] {
  const { actions: A, outcomes, offsets, outcome, probabilities } = enumeration;
  const sums: Float64Array[] = [];
  visitsByStep(enumeration, policy, (step, state, visit) => {
    sums[step] ??= new Float64Array(outcomes);
    for (let row = state * A; row < (state + 1) * A; row++) {
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        if (outcome[i] >= 0) sums[step][outcome[i]] += visit * policy[row] * probabilities[i];
      }
    }
  });
  return normalised(sums);
}

/** The same for the target; null if it is not known. */
function targetFractions(run: OpenedRun): Float64Array[] | null {
  const enumeration = run.objectEnumeration();
  if (!run.known || !enumeration) return null;
  const { target } = run.known;
  const below = massBelow(enumeration, target);
  const depth = depthsOf(enumeration);
  const sums: Float64Array[] = [];
  for (let state = 0; state < enumeration.states; state++) {
    for (const [outcome, node] of nodesAfter(enumeration, state)) {
      if (outcome < 0) continue;
      sums[depth[state]] ??= new Float64Array(enumeration.outcomes);
      sums[depth[state]][outcome] += node >= 0 ? below[node] : target[-1 - node];
    }
  }
  return normalised(sums);
}

/** The number of steps before each state of a tree. */
function depthsOf(enumeration: Enumeration): Int32Array {
  const depth = new Int32Array(enumeration.states);
  for (let state = 0; state < enumeration.states; state++) {
    for (const [, node] of nodesAfter(enumeration, state)) if (node > 0) depth[node] = depth[state] + 1;
  }
  return depth;
}

/** Rows as fractions of their sums. A row that nothing reaches, such as the one after the last letter, is left out. */
function normalised(sums: readonly Float64Array[]): Float64Array[] {
  return sums.flatMap((row) => {
    const total = row.reduce((a, b) => a + b, 0);
    return total > 0 ? [row.map((value) => value / total)] : [];
  });
}
