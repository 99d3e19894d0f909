// Definition of the task `regime`, and how to build it.

import { defineTask } from "../task-definition.ts";
import { REGIME_KEYS, type RegimeTaskOptions } from "./options.ts";

export const regime = defineTask<Required<RegimeTaskOptions>>({
  name: "regime",
  summary:
    "sequences under a hidden noise level, where conditioning the policy on its earlier actions improves it",
  keys: REGIME_KEYS,
  async load() {
    const { REGIME_STRINGS, regimeTask } = await import("./index.ts");
    return {
      sizes: () => ({ objects: REGIME_STRINGS, modes: 0 }),
      environment: (options) => regimeTask(options).environment,
      task: regimeTask,
    };
  },
});
