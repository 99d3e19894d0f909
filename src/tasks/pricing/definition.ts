// Definition of the task `pricing`, and how to build it.

import { defineTask } from "../task-definition.ts";
import { PRICING_KEYS, type PricingTaskOptions } from "./options.ts";

export const pricing = defineTask<Required<PricingTaskOptions>>({
  name: "pricing",
  summary:
    "premiums of one insurance customer over some months, scored by the profit; the customer answers at random",
  keys: PRICING_KEYS,
  async load() {
    const [{ pricingTask }, { pricingEnvironment }, { pathIndex }] = await Promise.all([
      import("./index.ts"),
      import("./environment.ts"),
      import("./paths.ts"),
    ]);
    return {
      // The task keeps the path of every object as a list, as it keeps modes.
      sizes: ({ months }) => ({ objects: pathIndex(months).terminals, modes: pathIndex(months).terminals }),
      environment: pricingEnvironment,
      task: pricingTask,
    };
  },
});
