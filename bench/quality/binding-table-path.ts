// Path of the measured binding table of TFBind8, which is not part of the repository.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const DEFAULT_TABLE = "../shared/data/tfbind/SIX6_REF_R1_8mers.txt";

/** The locations of the table, for messages. */
export const TABLE_LOCATIONS = `${DEFAULT_TABLE}, or GFLOWNET_TFBIND8_TABLE`;

/** Path of the table of SIX6: `GFLOWNET_TFBIND8_TABLE` if set, else a file next to the repository. */
export function bindingTablePath(variables: NodeJS.ProcessEnv = process.env): string {
  return (
    variables.GFLOWNET_TFBIND8_TABLE ?? fileURLToPath(new URL(`../../${DEFAULT_TABLE}`, import.meta.url))
  );
}

export function hasBindingTable(): boolean {
  return existsSync(bindingTablePath());
}
