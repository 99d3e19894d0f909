// Features of the pairs and objects of a plain environment, and the sizes of the tables that it needs.

import type { Enumeration } from "./enumeration.ts";
import { type FeatureSource, type FeatureTable, featureLayout, featureTable } from "./feature-table.ts";
import { mostParentEdges } from "./parent-edge-table.ts";
import type { PlainStates } from "./plain-states.ts";
import { ALTERNATIVE, grouped, type Refuse, type World } from "./plain-world.ts";
import { mostSlots } from "./tabular-arrays.ts";

/** Largest size of all tables, in bytes. */
const MAX_BYTES = 2 ** 30;
/** Largest number of parent edges of a pair or an object. The backward policy chooses among them. */
const MAX_PARENT_EDGES = 4096;

/**
 * Features of the pairs, followed by those of the objects. Objects share the components of states unless they come from
 * `objectOf`. The step is a component if a state occurs at several steps. Refuses environments that are too large.
 */
export function plainFeatures<S, O>(
  world: World<S, O>,
  { enumeration, pairs }: PlainStates,
  hasObjectOf: boolean,
  refuse: Refuse,
): FeatureTable {
  const stateSource = (state: number): FeatureSource => ({
    prefix: "state",
    value: world.states[state].value,
  });
  const objectSource = ({ value }: { readonly value: O }): FeatureSource => ({
    prefix: hasObjectOf ? "object" : "state",
    value,
  });
  const states = new Set(pairs.map(({ state }) => state));
  const stateKeys = new Set(Array.from(states, (state) => world.states[state].key));
  const recurs =
    states.size < pairs.length || (!hasObjectOf && world.objects.some(({ key }) => stateKeys.has(key)));
  const stepSource = (step: number): FeatureSource[] => (recurs ? [{ prefix: "step", value: step }] : []);
  const layout = featureLayout([
    ...Array.from(states, stateSource),
    ...world.objects.map(objectSource),
    ...Array.from(new Set(pairs.map(({ step }) => step)), stepSource).flat(),
  ]);
  const blocks = layout.widths.length;
  checkSizes(world, enumeration, blocks, refuse);
  const rows = new Int32Array((pairs.length + world.objects.length) * blocks);
  pairs.forEach(({ step, state }, i) => {
    rows.set(layout.rowOf([stateSource(state), ...stepSource(step)]), i * blocks);
  });
  world.objects.forEach((object, i) => {
    rows.set(layout.rowOf([objectSource(object)]), (pairs.length + i) * blocks);
  });
  return featureTable(layout.widths, rows);
}

/** Refuses environments whose tables would be too large, before the tables are made. */
function checkSizes<S, O>(
  { objects }: World<S, O>,
  enumeration: Enumeration,
  blocks: number,
  refuse: Refuse,
): void {
  const { states, terminals, actions, outcomes } = enumeration;
  const { node, count } = mostParentEdges(enumeration);
  if (count > MAX_PARENT_EDGES) {
    const what = node < states ? `one pair of step and state` : `the object ${objects[node - states].key}`;
    refuse(
      node < states ? "step" : "objectOf",
      `may lead to an object or state from at most ${grouped(MAX_PARENT_EDGES)} pairs of state and action, got ${grouped(count)} for ${what}; let it distinguish more, or use an environment of array functions (docs/add-an-environment.md)`,
    );
  }
  const perNode = 2 * actions + outcomes + 2 * blocks + Math.max(actions, count);
  // The kernel for sampling, and the outputs of the dynamics model, which exact evaluation tabulates.
  const perState = 2 * actions * mostSlots(enumeration) + outcomes * outcomes;
  const bytes = 4 * ((states + terminals) * perNode + states * perState);
  if (bytes <= MAX_BYTES) return;
  refuse(
    "steps",
    `must give tables of at most 1 GiB, got ${(bytes / 2 ** 30).toFixed(1)} GiB for ${grouped(states)} pairs of step and state with up to ${outcomes} outcomes and ${grouped(count)} parent edges each; ${ALTERNATIVE}`,
  );
}
