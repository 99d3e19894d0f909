// Definition of the task `tfbind8`, and how to build it.

import { defineTask } from "../task-definition.ts";
import { type BUILT_IN_TABLES, TFBIND8_KEYS, type Tfbind8ConfigOptions } from "./options.ts";

export const tfbind8 = defineTask<Tfbind8ConfigOptions>({
  name: "tfbind8",
  summary: "DNA sequences of eight letters, scored by how strongly a transcription factor binds them",
  keys: TFBIND8_KEYS,
  settings: { rewardExponent: 3 },
  async load() {
    const [{ tfbind8Environment, tfbind8Task }, { parseBindingTable }, { EIGHT_MERS }] = await Promise.all([
      import("./index.ts"),
      import("./binding-table.ts"),
      import("./eight-mers.ts"),
    ]);
    return {
      sizes: () => ({ objects: EIGHT_MERS, modes: 0 }),
      environment: tfbind8Environment,
      task({ stick, table }, { table: file }) {
        return file
          ? tfbind8Task({ stick, table: parseBindingTable(file.text, file.path), source: file.path })
          : tfbind8Task({ stick, table: table as (typeof BUILT_IN_TABLES)[number] });
      },
    };
  },
});
