// What a round learned, in words and as JSON.

import type { TriedProxy } from "../../proxy/choose-proxy.ts";
import { formatCount } from "../../report/text-format.ts";
import type { ScoredDesign } from "../candidates.ts";
import type { Round } from "./propose-round.ts";
import { heldScores } from "./run-rounds.ts";

/** The best proxy and how much it explains, with the others that are believed. */
export function proxyText(tried: readonly TriedProxy[]): string {
  const believed = tried.filter(({ isBelieved }) => isBelieved).sort((a, b) => a.error - b.error);
  const [{ name, explained }, ...others] = believed;
  const also = others.length > 0 ? ` (and ${others.map((other) => other.name).join(", ")})` : "";
  return `proxy ${name}${also} explains ${Math.round(100 * Math.max(explained, 0))} % of the variance of unseen scores`;
}

/** One line about a scored round. */
export function roundSummary(round: Round, scored: readonly ScoredDesign[]): string {
  if (round.proxy === null) return "uniformly drawn";
  const { inside, total } = heldIn([round], scored);
  return `${proxyText(round.tried)}; 80 % intervals held ${inside} of ${total} scores`;
}

/** A sentence about all rounds; null if there are none. */
export function roundsText(rounds: readonly Round[], scored: readonly ScoredDesign[]): string | null {
  if (rounds.length === 0) return null;
  const proxyCalls = rounds.reduce((sum, round) => sum + round.proxyCalls, 0);
  const { inside, total } = heldIn(rounds, scored);
  const held =
    total > 0
      ? ` 80 % intervals held ${Math.round((100 * inside) / total)} % of ${formatCount(total)} scores.`
      : "";
  return `Proxies scored ${formatCount(proxyCalls)} strings in ${formatCount(rounds.length)} rounds.${held}`;
}

/** A round as it is printed with --json. */
export function roundJson(
  index: number,
  { proposals, tried, proxy, proxyCalls }: Round,
  calls: number,
): object {
  return { kind: "round", round: index + 1, calls, proxy, tried, proxyCalls, proposals };
}

/** How many scores the intervals of rounds held. */
export function heldIn(rounds: readonly Round[], scored: readonly ScoredDesign[]) {
  const scoreOf = new Map(scored.map(({ string, score }) => [string, score]));
  return rounds
    .map((round) => heldScores(round, (string) => scoreOf.get(string)))
    .reduce((a, b) => ({ inside: a.inside + b.inside, total: a.total + b.total }), { inside: 0, total: 0 });
}
