// Orders strings by how rare their letters are at their positions. Where a proxy finds many strings equally good, those with
// letters that were hardly tried say most about what the proxy cannot know.

import type { Tokens } from "../../proxy/proxy.ts";

/** The strings, those with the rarest letters first. The rarity of a letter at a position is 1 / (1 + n), where n scored strings
 * have it there. */
export function byRareLetters<T extends { readonly tokens: Tokens }>(
  strings: readonly T[],
  scored: readonly Tokens[],
): T[] {
  const counts = new Map<number, number>();
  const key = (position: number, token: number) => position * 2 ** 20 + token;
  for (const tokens of scored) {
    for (let t = 0; t < tokens.length; t++) {
      counts.set(key(t, tokens[t]), (counts.get(key(t, tokens[t])) ?? 0) + 1);
    }
  }
  const rarity = ({ tokens }: T) => {
    let sum = 0;
    for (let t = 0; t < tokens.length; t++) sum += 1 / (1 + (counts.get(key(t, tokens[t])) ?? 0));
    return sum;
  };
  return strings
    .map((each) => ({ each, rarity: rarity(each) }))
    .sort((a, b) => b.rarity - a.rarity)
    .map(({ each }) => each);
}
