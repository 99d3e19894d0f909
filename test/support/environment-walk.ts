// Takes every step of a small environment once, by its array functions alone, evaluated in float64.

import { numpy as np } from "@jax-js/jax";
import type { Arrays } from "../../src/engine/trace.ts";
import type { Enumeration } from "../../src/gfn/enumeration.ts";
import type { EnumerableEnvironment, Environment, State } from "../../src/gfn/environment.ts";
import type { HostInputs } from "./gradients.ts";
import { inFloat64, oneHots, type Step, stepsOf } from "./tabular.ts";

/** One episode's state on the host. */
export interface Place {
  readonly index: number;
  readonly features: readonly number[];
  readonly running: number;
}

export interface WalkedStep extends Step {
  /** Number of the step in its episode. */
  readonly t: number;
  readonly before: Place;
  readonly after: Place;
  /** What the environment says of the place after. */
  readonly terminalIndex: number;
  readonly backwardAllowed: readonly number[];
  readonly backwardClass: readonly number[];
  /** null where the environment says that parents are unique. */
  readonly sameParent: readonly number[] | null;
}

export interface Walk {
  readonly steps: readonly WalkedStep[];
  /** Places where episodes go on, by the step they come at, with the mask the environment gives there. */
  readonly levels: readonly (readonly { readonly place: Place; readonly allowed: readonly number[] }[])[];
}

/** Every step that the list has, taken from places that earlier steps led to. */
export function walk(environment: EnumerableEnvironment, listed: Enumeration): Walk {
  const all = [...stepsOf(listed)];
  const steps: WalkedStep[] = [];
  const levels: Walk["levels"][number][] = [];
  let places = placesOf(startOf(environment));
  for (let t = 0; places.length > 0; t++) {
    const masks = allowedAt(environment, t, places);
    levels.push(places.map((place, i) => ({ place, allowed: masks[i] })));
    const here = places.flatMap((before) =>
      all.filter(({ state }) => state === before.index).map((step) => ({ before, ...step })),
    );
    const taken = take(environment, t, here);
    steps.push(...taken);
    const next = new Map(
      taken.filter(({ after }) => after.running > 0).map(({ after }) => [after.index, after]),
    );
    places = [...next.values()];
  }
  return { steps, levels };
}

function startOf(environment: EnumerableEnvironment) {
  return inFloat64(() => ({ ...environment.start(1) }), {});
}

function allowedAt(environment: EnumerableEnvironment, t: number, places: readonly Place[]): number[][] {
  const { allowed } = inFloat64(
    (inputs) => ({
      allowed: np.broadcastTo(environment.allowed(stateOf(inputs), t), [places.length, environment.actions]),
    }),
    placeInputs(environment, places),
  );
  return rowsOf(allowed, places.length);
}

function take(
  environment: EnumerableEnvironment,
  t: number,
  steps: readonly (Step & { before: Place })[],
): WalkedStep[] {
  const { actions, outcomes, backwardClasses } = environment;
  const n = steps.length;
  const inputs: HostInputs = {
    ...placeInputs(
      environment,
      steps.map(({ before }) => before),
    ),
    action: {
      shape: [n, actions],
      data: oneHots(
        steps.map(({ action }) => action),
        actions,
      ),
    },
    outcome: {
      shape: [n, outcomes],
      data: oneHots(
        steps.map(({ outcome }) => outcome),
        outcomes,
      ),
    },
  };
  const said = inFloat64((arrays) => {
    const { action, outcome } = arrays;
    const after = environment.advance(stateOf(arrays), t, action, outcome);
    const sameParent = environment.sameParent(outcome);
    return {
      ...after,
      terminal: environment.terminalIndex(after),
      backwardAllowed: np.broadcastTo(environment.backwardAllowed(after, t), [n, backwardClasses]),
      backwardClass: environment.backwardClass(action, outcome),
      ...(sameParent && { sameParent }),
    } as Record<
      "index" | "features" | "running" | "terminal" | "backwardAllowed" | "backwardClass" | "sameParent",
      np.Array
    >;
  }, inputs);
  const places = placesOf(said);
  const [allowed, classes] = [rowsOf(said.backwardAllowed, n), rowsOf(said.backwardClass, n)];
  const parents = said.sameParent && rowsOf(said.sameParent, n);
  return steps.map((step, i) => ({
    ...step,
    t,
    after: places[i],
    terminalIndex: said.terminal[i],
    backwardAllowed: allowed[i],
    backwardClass: classes[i],
    sameParent: parents?.[i] ?? null,
  }));
}

/** Places as inputs of an array function, and back. */
export function placeInputs({ features }: Environment, places: readonly Place[]): HostInputs {
  const n = places.length;
  const all = new Float64Array(n * features); // [n, features]
  places.forEach((place, i) => {
    all.set(place.features, i * features);
  });
  return {
    index: { shape: [n], dtype: "int32", data: places.map(({ index }) => index) },
    features: { shape: [n, features], data: all },
    running: { shape: [n], data: places.map(({ running }) => running) },
  };
}

export function stateOf({ index, features, running }: Arrays): State {
  return { index, features, running };
}

export function placesOf(said: Readonly<Record<"index" | "features" | "running", Float64Array>>): Place[] {
  const features = rowsOf(said.features, said.index.length);
  return Array.from(said.index, (index, i) => ({ index, features: features[i], running: said.running[i] }));
}

/** A flat array cut into equal rows. */
export function rowsOf(values: Float64Array, count: number): number[][] {
  const width = values.length / count;
  return Array.from({ length: count }, (_, i) => Array.from(values.subarray(i * width, (i + 1) * width)));
}
