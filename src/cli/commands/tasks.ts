// `gflownet tasks`: what there is to solve.

import { count } from "../../report/text-table.ts";
import { flagsOf } from "../config/flags.ts";
import { KEYS, type KeyName, TASKS } from "../config/keys.ts";
import { taskOf } from "../config.ts";
import { printJson } from "../output.ts";

const ABOUT = {
  tfbind8: "DNA strings of eight letters, scored by how strongly a protein binds them",
  hypergrid: "a walk on a grid whose reward is high in small places far from the start",
  "bit-sequence": "strings of bits, written word by word, good when near one of a few modes",
  regime: "strings under noise of a hidden level, where it pays to read what was intended before",
  pricing: "a customer's premiums over some months, scored by the profit; the customer answers by chance",
} as const;

export async function tasks({ json }: { readonly json?: boolean }): Promise<void> {
  const listed = await Promise.all(
    TASKS.map(async (name) => {
      const { label, scores, environment } = await taskOf({ task: name });
      const own = flagsOf().filter(({ key }) => (KEYS[key as KeyName] as { task?: string }).task === name);
      return {
        name,
        about: ABOUT[name],
        environment: environment.name,
        objects: scores.length,
        scores: label,
        flags: own.map((flag) => flag.name),
      };
    }),
  );
  if (json) {
    printJson(listed);
    return;
  }
  const lines = listed.map(
    ({ name, about, environment, objects, scores, flags }) =>
      `${name}\n  ${about}\n  by default ${environment}: ${count(objects)} objects\n  scores: ${scores}\n  flags of its own: ${flags.join(" ")}\n`,
  );
  process.stdout.write(`${lines.join("\n")}\nTrain one: gflownet train ${TASKS[0]} --stick 0.25\n`);
}
