// Case V9 of the exact suite: actions pass through a noise channel, which is known or learned, in the marginal and the
// joint form; and a target that no policy can reach.

import { RandomStream } from "../../engine/index.ts";
import { uniformChannel } from "../flow/channel.ts";
import { markovReward } from "../flow/rewards.ts";
import { chainLogRewards } from "./contexts.ts";
import { logarithms, randomTable, smoothed } from "./processes.ts";
import {
  type CaseSettings,
  DEFAULT_CASE_SETTINGS,
  repeat,
  type SuiteCase,
  suiteProblem,
} from "./suite-case.ts";

const [K, H] = [4, 4];

export function channelCases(): SuiteCase[] {
  const joint: Partial<CaseSettings> = {
    objective: { ...DEFAULT_CASE_SETTINGS.objective, form: "joint" },
    iterations: 3000,
  };
  // With on-policy training, the KL loss finds the best policy even if no policy reaches the target.
  const unreachable: Partial<CaseSettings> = {
    objective: { ...DEFAULT_CASE_SETTINGS.objective, loss: "kl" },
    batchComposition: { uniformShare: { from: 0.25, to: 0, until: 0.8 } },
  };
  return [
    channelCase("V9", "channel of 0.1, known", "the marginal form", 0.1, {}),
    channelCase("V9b", "channel of 0.3, learned", "a model of the channel", 0.3, { learned: true }),
    channelCase("V9c", "channel of 0.3, joint form", "backward policy over possible actions", 0.3, {
      settings: joint,
    }),
    channelCase("V9d", "channel of 0.3, out of reach", "the nearest reachable distribution", 0.3, {
      reachable: false,
      settings: unreachable,
    }),
  ];
}

function channelCase(
  id: string,
  name: string,
  purpose: string,
  epsilon: number,
  {
    learned = false,
    reachable = true,
    settings = {},
  }: { readonly learned?: boolean; readonly reachable?: boolean; readonly settings?: Partial<CaseSettings> },
): SuiteCase {
  const unsmoothed = randomTable(K, K, 1.2, RandomStream.fromSeed(2026).split("channel"));
  // If every probability is at least ε / K, some policy reaches the target exactly.
  const table = logarithms(reachable ? smoothed(unsmoothed, K, epsilon) : unsmoothed);
  const contexts = repeat(K, (token) => ({ past: [token], logTables: repeat(H, () => table) }));
  return {
    id,
    name,
    purpose,
    problem: suiteProblem(K, H, contexts[0], {
      reward: markovReward(1),
      channel: { matrix: uniformChannel(K, epsilon), learned },
    }),
    settings: { ...DEFAULT_CASE_SETTINGS, iterations: 2000, ...settings },
    sampleContext: (stream) => contexts[stream.integer(contexts.length)],
    evaluationContexts: contexts,
    logRewards: (context) => chainLogRewards(K, context),
  };
}
