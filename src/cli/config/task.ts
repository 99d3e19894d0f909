// The task that a config is about, with the scores of all its objects.

import { bitSequenceTask } from "../../tasks/bit-sequence/index.ts";
import { hypergridTask } from "../../tasks/hypergrid/index.ts";
import { pricingTask } from "../../tasks/pricing/index.ts";
import { regimeTask } from "../../tasks/regime/index.ts";
import type { Task } from "../../tasks/task.ts";
import { BindingTableError, parseBindingTable } from "../../tasks/tfbind8/binding-table.ts";
import { tfbind8Task } from "../../tasks/tfbind8/index.ts";
import { BUILT_IN_TABLES } from "./complete.ts";
import { staticDefaults, taskNameOf } from "./defaults.ts";
import { ConfigError } from "./error.ts";
import { readNamedFile } from "./files.ts";
import type { Config } from "./keys.ts";

/** Reads the table file if there is one. Throws a ConfigError if it is missing, damaged, or not what it was. */
export async function taskOf(config: Config): Promise<Task> {
  const task = taskNameOf(config);
  const all = { ...staticDefaults(task), ...config } as Required<Config>;
  const { stick, dimensions, side, r0, r1, r2, bits, word, modes, sharpness } = all;
  switch (task) {
    case "tfbind8":
      return tfbind8(all);
    case "hypergrid":
      return hypergridTask({ stick, dimensions, side, r0, r1, r2 });
    case "bit-sequence":
      return bitSequenceTask({ stick, bits, word, modes, seed: all.modeSeed, sharpness });
    case "regime":
      return regimeTask({ quiet: all.quietStick, noisy: all.noisyStick, share: all.quietShare });
    case "pricing": {
      const { months, claimCost, priceSensitivity, profitScale } = all;
      return pricingTask({ stick, months, claimCost, priceSensitivity, profitScale });
    }
    default:
      return task satisfies never;
  }
}

async function tfbind8({ stick, table, tableSha256 }: Required<Config>): Promise<Task> {
  if (BUILT_IN_TABLES.includes(table)) {
    return tfbind8Task({ stick, table: table as "surrogate" | "simplified" });
  }
  const { text, path } = await readNamedFile("table", table, tableSha256);
  try {
    return tfbind8Task({ stick, table: parseBindingTable(text, path), source: path });
  } catch (error) {
    if (error instanceof BindingTableError) throw new ConfigError("table", [error.message], { cause: error });
    throw error;
  }
}
