// Cases V8 and V10 of the exact suite: rewards that depend on the whole path, from a gap between two observed tokens
// (V8), and from tilts and constraints (V10). These rewards do not sum to 1. For a constraint, Z is the probability of
// the event.

import { numpy as np } from "@jax-js/jax";
import { RandomStream } from "../../engine/index.ts";
import { oneHotRows } from "../../nn/one-hot.ts";
import { constrainedReward, markovReward, tiltedReward, tokenSum } from "../flow/rewards.ts";
import { chainLogRewards, pathOf, type SuiteContext } from "./contexts.ts";
import { logarithms, randomTable } from "./processes.ts";
import { DEFAULT_CASE_SETTINGS, repeat, type SuiteCase, suiteProblem } from "./suite-case.ts";

const [K, H] = [4, 4];
/** λ of the tilt exp(−λ Σ x). */
const LAMBDA = 0.5;
/** Threshold of the event: the sum of the tokens is at least this number. */
const AT_LEAST = 9;
const LOG_FLOOR = -8;

export function scenarioCases(): SuiteCase[] {
  const streams = RandomStream.fromSeed(2026).split("scenarios");
  const table = logarithms(randomTable(K, K, 1, streams.split("chain")));
  const chain = repeat(K, (token) => ({ past: [token], logTables: repeat(H, () => table) }));
  const settings = { ...DEFAULT_CASE_SETTINGS, iterations: 2000 };
  const gaps = chain.flatMap((context) => repeat(K, (right) => infilled(context, table, right)));
  const shared = (contexts: readonly SuiteContext[]) => ({
    settings,
    sampleContext: (stream: RandomStream) => contexts[stream.integer(contexts.length)],
    evaluationContexts: contexts,
  });
  const withSum = (context: SuiteContext, tilt: (sum: number) => number) =>
    chainLogRewards(K, context).map(
      (log, number) => log + tilt(pathOf(number, K, H).reduce((sum, token) => sum + token, 0)),
    );
  return [
    {
      id: "V8",
      name: "gap between two observed tokens",
      purpose: "infilling",
      problem: suiteProblem(K, H, gaps[0], { reward: markovReward(1) }),
      ...shared(gaps),
      logRewards: (context) => chainLogRewards(K, context),
    },
    {
      id: "V10",
      name: "tilted chain",
      purpose: "rewards tilted by the whole path",
      problem: suiteProblem(K, H, chain[0], {
        reward: tiltedReward(markovReward(1), (tokens) => np.multiply(tokenSum(tokens), -LAMBDA)), // [B]
      }),
      ...shared(chain),
      logRewards: (context) => withSum(context, (sum) => -LAMBDA * sum),
    },
    {
      id: "V10b",
      name: `chain whose tokens sum to at least ${AT_LEAST}`,
      purpose: "constraints; Z is the probability of the event",
      problem: suiteProblem(K, H, chain[0], {
        reward: constrainedReward(
          markovReward(1),
          (tokens) => np.less(AT_LEAST - 0.5, tokenSum(tokens)), // [B]
          LOG_FLOOR,
        ),
      }),
      ...shared(chain),
      // A constraint changes only the final reward, which sub-trajectories propagate back faster than single steps.
      settings: {
        ...settings,
        objective: { ...DEFAULT_CASE_SETTINGS.objective, balance: "subtb" },
        iterations: 5000,
      },
      logRewards: (context) => withSum(context, (sum) => (sum >= AT_LEAST ? 0 : LOG_FLOOR)),
    },
  ];
}

/** A chain with an observed token after the path: the last step includes the probability of that token. */
function infilled(context: SuiteContext, table: Float64Array, right: number): SuiteContext {
  const last = table.map((log, i) => log + table[(i % K) * K + right]);
  return {
    ...context,
    context: oneHotRows([right], K),
    logTables: context.logTables!.map((step, t) => (t === H - 1 ? last : step)),
  };
}
