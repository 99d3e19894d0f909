// Restricts an automaton to the strings that also match a template or begin with a prefix, and finds the tokens to intend
// for it if noise may write others. The nodes keep their numbers, so that tables by node stay valid.

import type { Automaton } from "./automaton.ts";
import type { Template } from "./constraint.ts";

/** The automaton of the strings that match the template; null if there is none. Nodes without a legal completion remain,
 * but no path from the start leads to them. */
export function restrictAutomaton(
  automaton: Automaton,
  { pattern, open = false }: Pick<Template, "pattern" | "open">,
): Automaton | null {
  const { tokens: A, length, layers } = automaton;
  const next = automaton.next.slice();
  const accepts = automaton.accepts.slice();
  const isAlive = new Uint8Array(accepts.length);
  for (let t = length.max; t >= 0; t--) {
    const { tokens: place, canEnd } = templatePlace({ pattern, open }, t);
    for (let node = layers[t]; node < layers[t + 1]; node++) {
      if (!canEnd) accepts[node] = 0;
      isAlive[node] = accepts[node];
      for (let token = 0; token < A; token++) {
        const i = node * A + token;
        if (next[i] < 0) continue;
        if (isAlive[next[i]] === 0 || (place !== null && !place.includes(token))) next[i] = -1;
        else isAlive[node] = 1;
      }
    }
  }
  return isAlive[0] === 1 ? { ...automaton, next, accepts } : null;
}

/** What the place after t tokens of a template asks for. */
export interface TemplatePlace {
  /** The tokens that match; null for any. */
  readonly tokens: readonly number[] | null;
  /** Whether a string that matches may end here. */
  readonly canEnd: boolean;
}

export function templatePlace(
  { pattern, open = false }: Pick<Template, "pattern" | "open">,
  t: number,
): TemplatePlace {
  const tokens = t < pattern.length ? pattern[t] : open ? null : [];
  return { tokens, canEnd: open ? t >= pattern.length : t === pattern.length };
}

/**
 * The automaton with the tokens to intend at each node, so that strings match the template as far as noise permits; null
 * if no legal string matches. Where noise has made a match impossible, tokens of the template are still intended, and any
 * legal token if the template has none there.
 */
export function intendedAutomaton(
  automaton: Automaton,
  template: Pick<Template, "pattern" | "open">,
): Automaton | null {
  const restricted = restrictAutomaton(automaton, template);
  if (restricted === null) return null;
  const { tokens: A, length, layers, next, accepts } = restricted;
  const copy = (node: number, tokens: readonly number[] | null, canEnd: boolean): boolean => {
    accepts[node] = canEnd ? automaton.accepts[node] : 0;
    for (let token = 0; token < A; token++) {
      if (tokens === null || tokens.includes(token))
        next[node * A + token] = automaton.next[node * A + token];
    }
    return isReached(restricted, node);
  };
  for (let t = 0; t <= length.max; t++) {
    const { tokens, canEnd } = templatePlace(template, t);
    for (let node = layers[t]; node < layers[t + 1]; node++) {
      if (!isReached(restricted, node) && !copy(node, tokens, canEnd)) copy(node, null, true);
    }
  }
  return restricted;
}

/** Whether a restricted automaton leaves anything to do at a node. */
function isReached({ tokens: A, next, accepts }: Automaton, node: number): boolean {
  return accepts[node] === 1 || next.subarray(node * A, (node + 1) * A).some((child) => child >= 0);
}
