// An environment with its states listed: what exact evaluation computes on. Host side, float64.
//
// States are numbered so that every transition leads to a higher number or to a terminal; state 0 is the start.
// Noise is part of it: one intention may lead to several places, each by an outcome with a probability.

export interface Enumeration {
  /** Number of states that are not terminal. */
  readonly states: number;
  readonly terminals: number;
  /** Intentions there are in all; which of them a state allows shows in its transitions. */
  readonly actions: number;
  /** What the environment can do, as the dynamics model classifies it. */
  readonly outcomes: number;
  /** Transitions of (state s, intention a) are entries offsets[s·actions + a] up to the next offset. */
  readonly offsets: Uint32Array;
  /** Where a transition leads: a state, or −1 − t for terminal t. */
  readonly targets: Int32Array;
  /** Outcome of a transition; −1 where there is nothing to predict (stop). */
  readonly outcome: Int16Array;
  readonly probabilities: Float64Array;
}

export interface Transition {
  readonly target: number;
  readonly outcome: number;
  readonly probability: number;
}

/** Target number of a terminal. */
export function terminal(index: number): number {
  return -1 - index;
}

/** Lists an environment: `transitionsOf(state, action)` is empty where the intention is not allowed. It is read at once,
 * so it may be the same array every time. */
export function enumeration(
  sizes: Pick<Enumeration, "states" | "terminals" | "actions" | "outcomes">,
  transitionsOf: (state: number, action: number) => readonly Transition[],
): Enumeration {
  const { states, actions } = sizes;
  const offsets = new Uint32Array(states * actions + 1);
  let targets = new Int32Array(states * actions);
  let outcome = new Int16Array(states * actions);
  let probabilities = new Float64Array(states * actions);
  let count = 0;
  for (let row = 0, state = 0; state < states; state++) {
    for (let action = 0; action < actions; action++) {
      const transitions = transitionsOf(state, action);
      if (count + transitions.length > targets.length) {
        // Grown by half as much again, so that copying is rare.
        const room = Math.ceil(1.5 * count) + transitions.length;
        targets = grown(targets, new Int32Array(room));
        outcome = grown(outcome, new Int16Array(room));
        probabilities = grown(probabilities, new Float64Array(room));
      }
      for (const transition of transitions) {
        targets[count] = transition.target;
        outcome[count] = transition.outcome;
        probabilities[count] = transition.probability;
        count++;
      }
      offsets[++row] = count;
    }
  }
  return {
    ...sizes,
    offsets,
    targets: targets.slice(0, count),
    outcome: outcome.slice(0, count),
    probabilities: probabilities.slice(0, count),
  };
}

function grown<A extends Int32Array | Int16Array | Float64Array>(array: A, larger: A): A {
  larger.set(array);
  return larger;
}

/** Throws, naming the culprit, unless probabilities sum to one, states are in order and all terminals can be reached. */
export function checkEnumeration(environment: string, listed: Enumeration): void {
  const { states, terminals, actions, offsets, targets, probabilities } = listed;
  const reached = new Uint8Array(states);
  const ended = new Uint8Array(terminals);
  reached[0] = 1;
  for (let state = 0; state < states; state++) {
    let allowed = 0;
    for (let action = 0; action < actions; action++) {
      const [from, to] = [offsets[state * actions + action], offsets[state * actions + action + 1]];
      if (from === to) continue;
      allowed++;
      let sum = 0;
      for (let i = from; i < to; i++) {
        const [target, probability] = [targets[i], probabilities[i]];
        if (!(probability >= 0)) {
          throw new RangeError(
            `${environment}: state ${state}, action ${action}: probability ${probability}`,
          );
        }
        if (target >= 0 && target <= state) {
          throw new RangeError(
            `${environment}: state ${state} leads back to state ${target}; it must go forward`,
          );
        }
        if (target >= states || -1 - target >= terminals) {
          throw new RangeError(`${environment}: state ${state} leads to ${target}, which does not exist`);
        }
        if (probability > 0) {
          if (target >= 0) reached[target] |= reached[state];
          else ended[-1 - target] |= reached[state];
        }
        sum += probability;
      }
      if (Math.abs(sum - 1) > 1e-9) {
        throw new RangeError(
          `${environment}: state ${state}, action ${action}: probabilities sum to ${sum}, not 1`,
        );
      }
    }
    if (allowed === 0)
      throw new RangeError(`${environment}: state ${state} allows no action and is not terminal`);
  }
  const unreached = reached.indexOf(0);
  if (unreached >= 0) throw new RangeError(`${environment}: state ${unreached} cannot be reached`);
  const missed = ended.indexOf(0);
  if (missed >= 0) throw new RangeError(`${environment}: terminal ${missed} cannot be reached`);
}
