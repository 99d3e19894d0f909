// Definition of the task `bit-sequence`, and how to build it.

import { defineTask } from "../task-definition.ts";
import { BIT_SEQUENCE_KEYS, type BitSequenceOptions, bitSequenceIssues } from "./options.ts";

export const bitSequence = defineTask<Required<BitSequenceOptions>>({
  name: "bit-sequence",
  summary: "bit strings, written word by word, scored by their distance to the nearest of a few modes",
  keys: BIT_SEQUENCE_KEYS,
  issues: bitSequenceIssues,
  async load() {
    const { bitSequenceEnvironment, bitSequenceTask } = await import("./index.ts");
    return {
      sizes: ({ bits, modes }) => ({ objects: 2 ** bits, modes }),
      environment: bitSequenceEnvironment,
      task: bitSequenceTask,
    };
  },
});
