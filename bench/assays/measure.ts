// One measurement of the assays benchmark: a method on a problem, round by round, and what it has found after each.

import { MemoryScores } from "../../src/design/memory-scores.ts";
import { circles, sortedByScore } from "../../src/math/circles.ts";
import { mean } from "../../src/math/statistics.ts";
import type { Oracle } from "../../src/oracle/oracle.ts";
import { randomStrings } from "../../src/search/random-strings.ts";
import type { ScoredString } from "../../src/search/string-search.ts";
import type { AssayMethod, Coverage } from "./methods.ts";
import type { AssayProblem } from "./problems.ts";

/** The work of one process, as JSON. */
export interface Measurement {
  readonly problem: string;
  readonly method: string;
  readonly seed: number;
  readonly rounds: number;
  /** Strings in each round. */
  readonly batch: number;
  /** Number of uniformly drawn strings whose scores are told before the first round. They cost no calls. */
  readonly known: number;
}

/** What was found after a round, among the strings that were asked. */
export interface RoundResult {
  /** Different strings that were sent to the oracle. */
  readonly calls: number;
  readonly best: number;
  /** Mean score of the best strings, and how many of them are far apart: circles(top, radius). */
  readonly topMean: number;
  readonly circles: number;
  /** Strings that proxies have predicted. */
  readonly proxyCalls: number;
}

/** The results of all rounds, or of those until the optimum was found. */
export interface MeasurementResult {
  readonly rounds: readonly RoundResult[];
  /** Null if the method predicts no intervals. */
  readonly coverage: Coverage | null;
  readonly seconds: number;
}

/** Runs the method on the problem. */
export async function measure(
  problem: AssayProblem,
  method: AssayMethod,
  { seed, rounds: count, batch, known }: Pick<Measurement, "seed" | "rounds" | "batch" | "known">,
): Promise<MeasurementResult> {
  const { environment, oracle } = await problem.open();
  const start = performance.now();
  try {
    const search = await method.make({ environment, seed, rounds: count, batch });
    if (known > 0) {
      const strings = await randomStrings({ environment, seed }).ask(known);
      await search.tell(await scoresOf(scoresWithin(oracle, known), strings));
    }
    const scores = scoresWithin(oracle, count * batch);
    const rounds: RoundResult[] = [];
    for (let round = 0; round < count; round++) {
      const strings = await search.ask(batch);
      await search.tell(await scoresOf(scores, strings));
      const result = roundResult(scores, problem, search.proxyCalls ?? 0);
      rounds.push(result);
      if (problem.optimum !== undefined && result.best >= problem.optimum) break;
    }
    const seconds = (performance.now() - start) / 1000;
    return { rounds, coverage: search.coverage?.() ?? null, seconds };
  } finally {
    await oracle.close();
  }
}

function scoresWithin(oracle: Oracle, budget: number): MemoryScores {
  return new MemoryScores({ oracle, budget, onFailure: "stop" });
}

async function scoresOf(scores: MemoryScores, strings: readonly string[]): Promise<ScoredString[]> {
  const answers = await scores.score(strings);
  return strings.map((string, i) => {
    const answer = answers[i];
    if (answer.status !== "scored") throw new Error(`assays: ${string} got no score (${answer.status})`);
    return { string, score: answer.score };
  });
}

function roundResult(
  scores: MemoryScores,
  { top, radius }: Pick<AssayProblem, "top" | "radius">,
  proxyCalls: number,
): RoundResult {
  const all = scores.scored();
  const [strings, values] = [all.map(({ string }) => string), all.map(({ score }) => score)];
  const order = sortedByScore(strings, values);
  return {
    calls: scores.calls,
    best: values[order[0]],
    topMean: mean(order.slice(0, top).map((i) => values[i])),
    circles: circles(strings, values, { top, radius }).length,
    proxyCalls,
  };
}
