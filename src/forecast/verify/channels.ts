// V9: intended tokens go through a channel, known or learned, in the marginal and the joint form; and a target that no
// policy can reach.

import { RandomStream } from "../../engine/index.ts";
import { uniformChannel } from "../flow/channel.ts";
import { markovReward } from "../flow/rewards.ts";
import { chainLogRewards } from "./contexts.ts";
import { logOf, randomTable, smoothed } from "./processes.ts";
import { type CaseSettings, problemOf, repeat, type SuiteCase, USUAL } from "./suite-case.ts";

const [K, H] = [4, 4];

export function channelCases(): SuiteCase[] {
  const joint: Partial<CaseSettings> = { objective: { ...USUAL.objective, form: "joint" }, iterations: 3000 };
  // On its own paths the KL form settles on the best policy there is, if the target is out of reach.
  const nearest: Partial<CaseSettings> = {
    objective: { ...USUAL.objective, loss: "kl" },
    behaviour: { uniform: 0.25, fade: true },
  };
  return [
    through("V9", "channel of 0.1, known", "the marginal form", 0.1, {}),
    through("V9b", "channel of 0.3, learned", "a model of the channel", 0.3, { learned: true }),
    through("V9c", "channel of 0.3, joint form", "hindsight policy over what can be", 0.3, {
      settings: joint,
    }),
    through("V9d", "channel of 0.3, out of reach", "the nearest law there is", 0.3, {
      reachable: false,
      settings: nearest,
    }),
  ];
}

function through(
  id: string,
  name: string,
  what: string,
  epsilon: number,
  {
    learned = false,
    reachable = true,
    settings = {},
  }: { readonly learned?: boolean; readonly reachable?: boolean; readonly settings?: Partial<CaseSettings> },
): SuiteCase {
  const plain = randomTable(K, K, 1.2, RandomStream.fromSeed(2026).split("channel"));
  // With the channel's own share everywhere, some policy has the law exactly.
  const table = logOf(reachable ? smoothed(plain, K, epsilon) : plain);
  const contexts = repeat(K, (token) => ({ earlier: [token], logTables: repeat(H, () => table) }));
  return {
    id,
    name,
    what,
    problem: problemOf(K, H, contexts[0], {
      reward: markovReward(1),
      channel: { matrix: uniformChannel(K, epsilon), learned },
    }),
    settings: { ...USUAL, iterations: 2000, ...settings },
    draw: (stream) => contexts[stream.integer(contexts.length)],
    heldOut: contexts,
    logRewards: (context) => chainLogRewards(K, context),
  };
}
