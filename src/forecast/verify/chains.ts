// Chains of the exact suite: of order one and two, periodic, autoregressive, watched at irregular times, chosen by a
// category.

import { RandomStream } from "../../engine/index.ts";
import { markovReward } from "../flow/rewards.ts";
import { chainLogRewards, oneHot, type SuiteContext } from "./contexts.ts";
import { autoregression, logOf, power, randomTable } from "./processes.ts";
import {
  allStrings,
  drawnApart,
  HELD_OUT,
  plainReader,
  problemOf,
  repeat,
  type SuiteCase,
  USUAL,
} from "./suite-case.ts";

const streams = RandomStream.fromSeed(2026).split("verify");

/** V1 to V4, V6 and V7, with the blind networks of V2 and V3. */
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

/** A case whose contexts are listed, and drawn alike in training. */
function listedCase(
  [id, name, what]: readonly [id: string, name: string, what: string],
  K: number,
  H: number,
  contexts: readonly SuiteContext[],
  { order = 1, ...rest }: Partial<SuiteCase> & { readonly order?: number } = {},
): SuiteCase {
  return {
    id,
    name,
    what,
    problem: problemOf(K, H, contexts[0], { reward: markovReward(order) }),
    settings: USUAL,
    draw: (stream) => contexts[stream.integer(contexts.length)],
    heldOut: contexts,
    logRewards: (context) => chainLogRewards(K, context),
    ...rest,
  };
}

function orderOneContexts(K: number, H: number): SuiteContext[] {
  const table = logOf(randomTable(K, K, 1.2, streams.split("order one")));
  const logTables = repeat(H, () => table);
  return allStrings(K, 3).map((earlier) => ({ earlier, logTables }));
}

function orderOne(): SuiteCase {
  return listedCase(["V1", "chain of order one", "laws, flows and log Z"], 4, 5, orderOneContexts(4, 5), {
    flowBound: 0.1,
  });
}

/** The same without any help for the flows: they are learned from rewards of whole paths alone. */
function orderOneFlows(): SuiteCase {
  return listedCase(
    ["V1b", "chain of order one, whole rewards", "flows without partial rewards"],
    4,
    5,
    orderOneContexts(4, 5),
    {
      settings: { ...USUAL, objective: { balance: "subtb" }, iterations: 3000 },
    },
  );
}

function orderTwo(): SuiteCase[] {
  const [K, H] = [4, 4];
  const table = logOf(randomTable(K * K, K, 1.2, streams.split("order two")));
  const logTables = repeat(H, () => table);
  const contexts = allStrings(K, 3).map((earlier) => ({ earlier, logTables }));
  const reward = markovReward(2);
  return [
    listedCase(["V2", "chain of order two", "use of the context"], K, H, contexts, { order: 2 }),
    listedCase(
      ["V2-blind", "chain of order two, one token seen", "fails by what it cannot see"],
      K,
      H,
      contexts,
      {
        problem: problemOf(K, H, contexts[0], {
          reward,
          reader: plainReader(contexts[0], { lastTokens: 1 }),
        }),
        settings: { ...USUAL, network: { ...USUAL.network, lags: 1 }, iterations: 400 },
        blindKey: ({ earlier }) => String(earlier[earlier.length - 1]),
      },
    ),
  ];
}

function periodic(): SuiteCase[] {
  const [K, H, period] = [4, 4, 3];
  const tables = repeat(period, (phase) => logOf(randomTable(K, K, 1.2, streams.split(`phase ${phase}`))));
  const contexts = repeat(period, (start) =>
    repeat(K, (token) => ({
      earlier: [token],
      known: repeat(H, (t) => oneHot((start + t) % period, period)),
      logTables: repeat(H, (t) => tables[(start + t) % period]),
    })),
  ).flat();
  const reader = plainReader(contexts[0], { seesKnown: false });
  return [
    listedCase(["V3", "periodic chain", "what is known of steps ahead"], K, H, contexts),
    listedCase(["V3-blind", "periodic chain, no calendar", "fails by what it cannot see"], K, H, contexts, {
      problem: problemOf(K, H, contexts[0], { reward: markovReward(1), reader }),
      settings: { ...USUAL, iterations: 400 },
      blindKey: ({ earlier }) => String(earlier[0]),
    }),
  ];
}

function discretised(): SuiteCase {
  const [K, H] = [8, 4];
  const reach = 2;
  const table = logOf(autoregression(K, 0.8, 0.6, reach));
  const contexts = repeat(K, (token) => ({ earlier: [token], logTables: repeat(H, () => table) }));
  return listedCase(["V4", "autoregression in bins", "numbers as tokens"], K, H, contexts, {
    settings: { ...USUAL, iterations: 2000 },
    binWidth: (2 * reach) / K,
  });
}

const GAPS = [1, 2, 3, 5, 8, 13];

function irregular(): SuiteCase {
  const [K, H] = [4, 4];
  const chain = randomTable(K, K, 2, streams.split("irregular"));
  const tables = new Map(GAPS.map((gap) => [gap, logOf(power(chain, K, gap))]));
  const draw = (stream: RandomStream): SuiteContext => {
    const gaps = repeat(H, () => GAPS[stream.integer(GAPS.length)]);
    return {
      earlier: [stream.integer(K)],
      known: gaps.map((gap) => [Math.log(gap), 1 / gap]),
      logTables: gaps.map((gap) => tables.get(gap)!),
    };
  };
  const stream = streams.split("irregular contexts");
  const heldOut = repeat(HELD_OUT, () => draw(stream));
  return listedCase(["V6", "chain at irregular times", "gaps between times"], K, H, heldOut, {
    draw: drawnApart(draw, heldOut),
  });
}

function byCategory(): SuiteCase {
  const [K, H, categories] = [4, 4, 5];
  const contexts = repeat(categories, (category) => {
    const table = logOf(randomTable(K, K, 1.2, streams.split(`category ${category}`)));
    return repeat(K, (token) => ({
      earlier: [token],
      context: oneHot(category, categories),
      logTables: repeat(H, () => table),
    }));
  }).flat();
  return listedCase(["V7", "category chooses the chain", "categories"], K, H, contexts);
}
