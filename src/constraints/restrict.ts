// Restricts an automaton to the strings that also match a template or begin with a prefix. The nodes keep their numbers, so
// that tables by node stay valid.

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
    const canEnd = open ? t >= pattern.length : t === pattern.length;
    const place = t < pattern.length ? pattern[t] : open ? null : [];
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
