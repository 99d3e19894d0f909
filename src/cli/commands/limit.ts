// `gflownet limit`: the best that any policy can reach, without training.

import { listingOf } from "../../gfn/environment.ts";
import { normalise } from "../../gfn/evaluate/distances.ts";
import { uniformPolicy, visitation } from "../../gfn/evaluate/exact.ts";
import { limitOf } from "../../gfn/evaluate/limit.ts";
import { measuresOf } from "../../gfn/evaluate/measures.ts";
import { rewardTable } from "../../gfn/reward.ts";
import { figure, textTable } from "../../report/text-table.ts";
import { parseTyped } from "../config/typed-config.ts";
import { completeConfig, taskOf, trainOptionsOf } from "../config.ts";
import { printJson } from "../output.ts";
import type { Typed } from "../typed.ts";

export async function limit(typed: Typed, { json }: { readonly json?: boolean }): Promise<void> {
  const complete = await completeConfig(parseTyped(typed));
  const task = await taskOf(complete);
  const { environment } = task;
  const { exponent, floor } = (await trainOptionsOf(complete, task)).reward;
  const reward = rewardTable(task.scores, { exponent, floor });
  const listed = listingOf(environment);
  const { target } = normalise(reward);
  const best = limitOf(environment, listed, target);
  const measures = (terminals: Float64Array) => {
    const { tv, kl, expectedReward } = measuresOf(target, reward, terminals);
    return { tv, kl, expectedReward };
  };
  const found = { ...measures(best.terminals), gap: best.gap };
  const uniform = measures(visitation(listed, uniformPolicy(listed)).terminals);
  if (json) {
    printJson({ limit: found, uniform });
    return;
  }
  const rows = [
    ["", "limit", "uniform"],
    ["total variation", figure(found.tv), figure(uniform.tv)],
    ["KL(target ‖ policy)", figure(found.kl), figure(uniform.kl)],
    ["expected reward", figure(found.expectedReward), figure(uniform.expectedReward)],
  ];
  process.stdout.write(
    `${task.name}, stick ${environment.stick}, reward exponent ${exponent}\n${task.label}\n\n${textTable(rows)}\n`,
  );
}
