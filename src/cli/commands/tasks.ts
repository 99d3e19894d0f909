// `gflownet tasks`: lists the tasks with their options.

import { taskOf } from "../../config/index.ts";
import { formatCount } from "../../report/text-format.ts";
import { TASKS } from "../../tasks/registry.ts";
import { commandLine } from "../command-name.ts";
import { flagOf } from "../config-flags.ts";
import { printJson } from "../output.ts";

export async function tasks({ json }: { readonly json?: boolean }): Promise<void> {
  const list = await Promise.all(
    TASKS.map(async ({ name, summary, keys }) => {
      const { label, scores, environment } = await taskOf({ task: name }, "task");
      return {
        name,
        about: summary,
        environment: environment.name,
        objects: scores.length,
        scores: label,
        flags: Object.keys(keys).map(flagOf),
      };
    }),
  );
  if (json) {
    printJson(list);
    return;
  }
  const texts = list.map(
    ({ name, about, environment, objects, scores, flags }) =>
      `${name}\n  ${about}\n  by default ${environment}: ${formatCount(objects)} objects\n  scores: ${scores}\n  flags: ${flags.join(" ")}\n`,
  );
  const example = commandLine("train", TASKS[0].name, "--stick", "0.25");
  process.stdout.write(`${texts.join("\n")}\nTrain one: ${example}\n`);
}
