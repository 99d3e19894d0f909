// `gflownet tasks`: lists the tasks with their options.

import { taskOf } from "../../config/index.ts";
import { formatCount } from "../../report/text-format.ts";
import { TASKS } from "../../tasks/registry.ts";
import { commandLine } from "../command-name.ts";
import { flagOf } from "../config-flags.ts";
import { printJson } from "../output.ts";

export async function tasks({ json }: { readonly json?: boolean }): Promise<void> {
  const list = await Promise.all(
    TASKS.map(async ({ name, summary, keys, needs = [] }) => {
      // A task that needs an option has no objects by default.
      const task = needs.length === 0 ? await taskOf({ task: name }, "task") : null;
      return {
        name,
        about: summary,
        environment: task?.environment.name ?? null,
        objects: task?.scores.length ?? null,
        scores: task?.label ?? null,
        needs: needs.map(flagOf),
        flags: Object.keys(keys).map(flagOf),
      };
    }),
  );
  if (json) {
    printJson(list);
    return;
  }
  const texts = list.map(({ name, about, environment, objects, scores, needs, flags }) => {
    const defaults =
      objects === null
        ? `needs: ${needs.join(" ")}`
        : `by default ${environment}: ${formatCount(objects)} objects\n  scores: ${scores}`;
    return `${name}\n  ${about}\n  ${defaults}\n  flags: ${flags.join(" ")}\n`;
  });
  const example = commandLine("train", TASKS[0].name, "--stick", "0.25");
  process.stdout.write(`${texts.join("\n")}\nTrain one: ${example}\n`);
}
