// `gflownet limit`: the best distribution that any policy can reach on a task, without training.

import { completeConfig, taskOf } from "../../config/index.ts";
import { checkRewards } from "../../config/train-options.ts";
import { isHistoryDependent } from "../../gfn/environment/environment.ts";
import { rewardTable } from "../../gfn/reward/reward.ts";
import { formatNumber, textTable } from "../../report/text-format.ts";
import { describeNoise } from "../../run/describe-run.ts";
import { limitMetrics } from "../../run/policy-metrics.ts";
import { parseInput } from "../config-input.ts";
import type { ConfigInput } from "../input.ts";
import { printJson } from "../output.ts";

export async function limit(input: ConfigInput, { json }: { readonly json?: boolean }): Promise<void> {
  const config = await completeConfig(await parseInput(input));
  const task = await taskOf(config, "limit");
  const { environment } = task;
  const { rewardExponent: exponent, rewardFloor: floor } = config;
  checkRewards(task.scores, task, { exponent, floor });
  const reward = rewardTable(task.scores, { exponent, floor });
  const { limit, uniform } = limitMetrics(environment, reward);
  // In other environments, conditioning on the thought does not change the limit.
  const withThought = isHistoryDependent(environment)
    ? limitMetrics(environment, reward, "thought").limit
    : null;
  if (json) {
    printJson({ limit, ...(withThought && { withThought }), uniform });
    return;
  }
  const columns = [limit, ...(withThought ? [withThought] : []), uniform];
  const rows = [
    ["", "limit", ...(withThought ? ["with thought"] : []), "uniform"],
    ["total variation", ...columns.map(({ tv }) => formatNumber(tv))],
    ["KL(target ‖ policy)", ...columns.map(({ kl }) => formatNumber(kl))],
    ["expected reward", ...columns.map(({ expectedReward }) => formatNumber(expectedReward))],
  ];
  process.stdout.write(
    `${task.name}, ${describeNoise(environment)}, reward exponent ${exponent}\n${task.label}\n\n${textTable(rows)}\n`,
  );
}
