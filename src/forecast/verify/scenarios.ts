// What makes paths from left to right hard: gaps between two known tokens (V8), tilts and constraints on the whole path
// (V10). Rewards are no longer probabilities, so Z says something: of a constraint, the chance of the event.

import { numpy as np } from "@jax-js/jax";
import { RandomStream } from "../../engine/index.ts";
import { constrained, markovReward, tilted, tokenSum } from "../flow/rewards.ts";
import { chainLogRewards, oneHot, pathOf, type SuiteContext } from "./contexts.ts";
import { logOf, randomTable } from "./processes.ts";
import { problemOf, repeat, type SuiteCase, USUAL } from "./suite-case.ts";

const [K, H] = [4, 4];
/** Of the tilt exp(−λ Σ x). */
const LAMBDA = 0.5;
/** The event: tokens sum to at least this. */
const AT_LEAST = 9;
const LOG_FLOOR = -8;

export function scenarioCases(): SuiteCase[] {
  const streams = RandomStream.fromSeed(2026).split("scenarios");
  const table = logOf(randomTable(K, K, 1, streams.split("chain")));
  const chain = repeat(K, (token) => ({ earlier: [token], logTables: repeat(H, () => table) }));
  const settings = { ...USUAL, iterations: 2000 };
  const between = chain.flatMap((context) => repeat(K, (right) => infilled(context, table, right)));
  const shared = (contexts: readonly SuiteContext[]) => ({
    settings,
    draw: (stream: RandomStream) => contexts[stream.integer(contexts.length)],
    heldOut: contexts,
  });
  const withSum = (context: SuiteContext, tilt: (sum: number) => number) =>
    chainLogRewards(K, context).map(
      (log, number) => log + tilt(pathOf(number, K, H).reduce((sum, token) => sum + token, 0)),
    );
  return [
    {
      id: "V8",
      name: "gap between two known tokens",
      what: "infilling",
      problem: problemOf(K, H, between[0], { reward: markovReward(1) }),
      ...shared(between),
      logRewards: (context) => chainLogRewards(K, context),
    },
    {
      id: "V10",
      name: "tilted chain",
      what: "tilts of whole paths",
      problem: problemOf(K, H, chain[0], {
        reward: tilted(markovReward(1), (tokens) => np.multiply(tokenSum(tokens), -LAMBDA)), // [B]
      }),
      ...shared(chain),
      logRewards: (context) => withSum(context, (sum) => -LAMBDA * sum),
    },
    {
      id: "V10b",
      name: `chain whose tokens sum to at least ${AT_LEAST}`,
      what: "hard constraints; Z is the chance of the event",
      problem: problemOf(K, H, chain[0], {
        reward: constrained(
          markovReward(1),
          (tokens) => np.less(AT_LEAST - 0.5, tokenSum(tokens)), // [B]
          LOG_FLOOR,
        ),
      }),
      ...shared(chain),
      // What a constraint forbids shows at the end only: whole stretches carry it back faster than single steps.
      settings: {
        ...settings,
        objective: { ...USUAL.objective, balance: "subtb" },
        iterations: 5000,
      },
      logRewards: (context) => withSum(context, (sum) => (sum >= AT_LEAST ? 0 : LOG_FLOOR)),
    },
  ];
}

/** A chain that also has to arrive: the last step counts the chance of the token that is known to follow. */
function infilled(context: SuiteContext, table: Float64Array, right: number): SuiteContext {
  const last = table.map((log, i) => log + table[(i % K) * K + right]);
  return {
    ...context,
    context: oneHot(right, K),
    logTables: context.logTables!.map((step, t) => (t === H - 1 ? last : step)),
  };
}
