// Markov chains of the exact suite: of order one and two, periodic, autoregressive, observed at irregular times, and
// selected by a category.

import { RandomStream } from "../../engine/index.ts";
import { oneHotRows } from "../../nn/one-hot.ts";
import { markovReward } from "../flow/rewards.ts";
import { timeGapNumbers } from "../model/time-gap-numbers.ts";
import { chainLogRewards, type SuiteContext } from "./contexts.ts";
import { discretisedAutoregression, logarithms, randomTable, tablePower } from "./processes.ts";
import {
  allPaths,
  DEFAULT_CASE_SETTINGS,
  HELD_OUT_CONTEXTS,
  passThroughEncoder,
  repeat,
  type SuiteCase,
  sampleExcluding,
  suiteProblem,
} from "./suite-case.ts";

const streams = RandomStream.fromSeed(2026).split("verify");

/** V1 to V4, V6 and V7. Cases V2 and V3 each have a variant in which the network lacks a necessary input. */
export function chainCases(): SuiteCase[] {
  return [
    orderOne(),
    orderOneFlows(),
    ...orderTwo(),
    ...periodic(),
    discretised(),
    irregular(),
    byCategory(),
  ];
}

/** A case that is trained and evaluated on the same contexts, sampled uniformly. */
function chainCase(
  [id, name, purpose]: readonly [id: string, name: string, purpose: string],
  K: number,
  H: number,
  contexts: readonly SuiteContext[],
  { order = 1, ...rest }: Partial<SuiteCase> & { readonly order?: number } = {},
): SuiteCase {
  return {
    id,
    name,
    purpose,
    problem: suiteProblem(K, H, contexts[0], { reward: markovReward(order) }),
    settings: DEFAULT_CASE_SETTINGS,
    sampleContext: (stream) => contexts[stream.integer(contexts.length)],
    evaluationContexts: contexts,
    logRewards: (context) => chainLogRewards(K, context),
    ...rest,
  };
}

function orderOneContexts(K: number, H: number): SuiteContext[] {
  const table = logarithms(randomTable(K, K, 1.2, streams.split("order one")));
  const logTables = repeat(H, () => table);
  return allPaths(K, 3).map((past) => ({ past, logTables }));
}

function orderOne(): SuiteCase {
  return chainCase(
    ["V1", "chain of order one", "distribution, flows and log Z"],
    4,
    5,
    orderOneContexts(4, 5),
    {
      flowBound: 0.1,
    },
  );
}

/** Case V1 without partial rewards: the flows are learned from the rewards of complete paths only. */
function orderOneFlows(): SuiteCase {
  return chainCase(
    ["V1b", "chain of order one, terminal rewards", "flows without partial rewards"],
    4,
    5,
    orderOneContexts(4, 5),
    {
      settings: { ...DEFAULT_CASE_SETTINGS, objective: { balance: "subtb" }, iterations: 3000 },
    },
  );
}

function orderTwo(): SuiteCase[] {
  const [K, H] = [4, 4];
  const table = logarithms(randomTable(K * K, K, 1.2, streams.split("order two")));
  const logTables = repeat(H, () => table);
  const contexts = allPaths(K, 3).map((past) => ({ past, logTables }));
  const reward = markovReward(2);
  return [
    chainCase(["V2", "chain of order two", "use of the context"], K, H, contexts, { order: 2 }),
    chainCase(
      ["V2-blind", "chain of order two, one past token", "error of a network that lacks an input"],
      K,
      H,
      contexts,
      {
        problem: suiteProblem(K, H, contexts[0], {
          reward,
          encoder: passThroughEncoder(contexts[0], { pastTokens: 1 }),
        }),
        settings: {
          ...DEFAULT_CASE_SETTINGS,
          network: { ...DEFAULT_CASE_SETTINGS.network, lags: 1 },
          iterations: 400,
        },
        blindKey: ({ past }) => String(past[past.length - 1]),
      },
    ),
  ];
}

function periodic(): SuiteCase[] {
  const [K, H, period] = [4, 4, 3];
  const tables = repeat(period, (phase) =>
    logarithms(randomTable(K, K, 1.2, streams.split(`phase ${phase}`))),
  );
  const contexts = repeat(period, (start) =>
    repeat(K, (token) => ({
      past: [token],
      future: repeat(H, (t) => oneHotRows([(start + t) % period], period)),
      logTables: repeat(H, (t) => tables[(start + t) % period]),
    })),
  ).flat();
  const encoder = passThroughEncoder(contexts[0], { seesFuture: false });
  return [
    chainCase(["V3", "periodic chain", "inputs known about future steps"], K, H, contexts),
    chainCase(
      ["V3-blind", "periodic chain, no calendar", "error of a network that lacks an input"],
      K,
      H,
      contexts,
      {
        problem: suiteProblem(K, H, contexts[0], { reward: markovReward(1), encoder }),
        settings: { ...DEFAULT_CASE_SETTINGS, iterations: 400 },
        blindKey: ({ past }) => String(past[0]),
      },
    ),
  ];
}

function discretised(): SuiteCase {
  const [K, H] = [8, 4];
  const bound = 2;
  const table = logarithms(discretisedAutoregression(K, 0.8, 0.6, bound));
  const contexts = repeat(K, (token) => ({ past: [token], logTables: repeat(H, () => table) }));
  return chainCase(["V4", "autoregression in bins", "values as tokens"], K, H, contexts, {
    settings: { ...DEFAULT_CASE_SETTINGS, iterations: 2000 },
    binWidth: (2 * bound) / K,
  });
}

const GAPS = [1, 2, 3, 5, 8, 13];

function irregular(): SuiteCase {
  const [K, H] = [4, 4];
  const chain = randomTable(K, K, 2, streams.split("irregular"));
  const tables = new Map(GAPS.map((gap) => [gap, logarithms(tablePower(chain, K, gap))]));
  const sampleContext = (stream: RandomStream): SuiteContext => {
    const gaps = repeat(H, () => GAPS[stream.integer(GAPS.length)]);
    const times = [0]; // [1 + H]
    for (const gap of gaps) times.push(times.at(-1)! + gap);
    return {
      past: [stream.integer(K)],
      // The same numbers as in the forecasting model, with a median gap of 1.
      future: gaps.map((_, h) => timeGapNumbers(times, 1, h, 1)),
      logTables: gaps.map((gap) => tables.get(gap)!),
    };
  };
  const stream = streams.split("irregular contexts");
  const heldOut = repeat(HELD_OUT_CONTEXTS, () => sampleContext(stream));
  return chainCase(
    ["V6", "chain at irregular times", "the time gaps that the forecasting model sees"],
    K,
    H,
    heldOut,
    {
      sampleContext: sampleExcluding(sampleContext, heldOut),
    },
  );
}

function byCategory(): SuiteCase {
  const [K, H, categories] = [4, 4, 5];
  const contexts = repeat(categories, (category) => {
    const table = logarithms(randomTable(K, K, 1.2, streams.split(`category ${category}`)));
    return repeat(K, (token) => ({
      past: [token],
      context: oneHotRows([category], categories),
      logTables: repeat(H, () => table),
    }));
  }).flat();
  return chainCase(["V7", "category selects the chain", "categorical inputs"], K, H, contexts);
}
