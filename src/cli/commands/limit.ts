// `gflownet limit`: the best that any policy can reach, without training.

import { hasHistories } from "../../gfn/environment.ts";
import { rewardTable } from "../../gfn/reward.ts";
import { figure, textTable } from "../../report/text-table.ts";
import { parseTyped } from "../config/typed-config.ts";
import { completeConfig, taskOf, trainOptionsOf } from "../config.ts";
import { printJson } from "../output.ts";
import { reachable } from "../reader.ts";
import type { Typed } from "../typed.ts";
import { noiseOf } from "../words.ts";

export async function limit(typed: Typed, { json }: { readonly json?: boolean }): Promise<void> {
  const complete = await completeConfig(parseTyped(typed));
  const task = await taskOf(complete);
  const { environment } = task;
  const { exponent, floor } = (await trainOptionsOf(complete, task)).reward;
  const reward = rewardTable(task.scores, { exponent, floor });
  const { limit, uniform } = reachable(environment, reward);
  // Elsewhere a thought adds nothing.
  const withThought = hasHistories(environment) ? reachable(environment, reward, "thought").limit : null;
  if (json) {
    printJson({ limit, ...(withThought && { withThought }), uniform });
    return;
  }
  const columns = [limit, ...(withThought ? [withThought] : []), uniform];
  const rows = [
    ["", "limit", ...(withThought ? ["with thought"] : []), "uniform"],
    ["total variation", ...columns.map(({ tv }) => figure(tv))],
    ["KL(target ‖ policy)", ...columns.map(({ kl }) => figure(kl))],
    ["expected reward", ...columns.map(({ expectedReward }) => figure(expectedReward))],
  ];
  process.stdout.write(
    `${task.name}, ${noiseOf(environment)}, reward exponent ${exponent}\n${task.label}\n\n${textTable(rows)}\n`,
  );
}
