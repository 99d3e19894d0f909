// Adding a task touches one shared file, the registry: everything else follows from the definition.

import { expect, test, vi } from "vitest";
import { completeConfig, parseConfig, taskOf, trainOptionsOf } from "../config/index.ts";
import { train } from "../gfn/training/train.ts";
import { addConfigFlags, configOfFlags } from "./config-flags.ts";
import { InputCommand } from "./input.ts";

vi.mock("../tasks/registry.ts", async (original) => {
  const { TASKS } = await original<typeof import("../tasks/registry.ts")>();
  const { defineTask } = await import("../tasks/task-definition.ts");
  const { stickKey } = await import("../tasks/stick-key.ts");
  const { is, key } = await import("../settings/keys.ts");
  const { whole } = await import("../settings/kinds.ts");
  const { sequenceEnvironment } = await import("../gfn/environment/sequence.ts");
  const parity = defineTask<{ readonly stick: number; readonly places: number }>({
    name: "parity",
    summary: "bit strings with an even number of ones",
    keys: { stick: stickKey, places: key(whole(1, 6), "task", "bits of a string", is(3)) },
    settings: { hidden: [8] },
    issues: ({ places }) =>
      places === 5 ? [{ path: "places", code: "range", message: "must not be 5, got 5" }] : [],
    async load() {
      const environment = ({ stick, places }: { stick: number; places: number }) =>
        sequenceEnvironment({ alphabet: "01", length: places, stick });
      return {
        sizes: ({ places }) => ({ objects: 2 ** places, modes: 0 }),
        environment,
        task(options) {
          const ones = (terminal: number) => terminal.toString(2).split("1").length - 1;
          return {
            name: "parity",
            label: "1 for even strings, 0.1 for odd ones",
            environment: environment(options),
            scores: Float64Array.from({ length: 2 ** options.places }, (_, i) => (ones(i) % 2 ? 0.1 : 1)),
            decode: (terminal) => terminal.toString(2).padStart(options.places, "0"),
            encode: (text) => Number.parseInt(text, 2),
          };
        },
      };
    },
  });
  return { TASKS: [...TASKS, parity] };
});

test("a new definition in the registry has flags, defaults, rules, and trains", async () => {
  const command = new InputCommand("train");
  addConfigFlags(command);
  const args = ["--task", "parity", "--places", "4", "--stick", "0.1", "--iterations", "3"];
  const flags = configOfFlags(command.parse(args, { from: "user" }).opts());
  const config = await completeConfig(await parseConfig(flags));
  expect(config).toMatchObject({ task: "parity", places: 4, stick: 0.1, hidden: [8] });
  expect(command.helpInformation()).toContain("parity: bits of a string");
  await expect(parseConfig({ task: "parity", places: 5 })).rejects.toThrow("places: must not be 5");
  await expect(parseConfig({ places: 3 })).rejects.toThrow("belongs to the task parity");
  const options = await trainOptionsOf(config, await taskOf(config));
  const events = [];
  for await (const event of train(options)) events.push(event);
  expect(events.at(-1)).toMatchObject({ kind: "end", iterations: 3 });
});
