// Where the measured table of TFBind8 is. It is no part of the project.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const BESIDE = "../shared/data/tfbind/SIX6_REF_R1_8mers.txt";

/** For messages. */
export const WHERE_THE_TABLE_IS = `${BESIDE}, or GFLOWNET_TFBIND8_TABLE`;

/** Path of the table of SIX6: beside the project unless the environment says otherwise. */
export function tfbind8Table(variables: NodeJS.ProcessEnv = process.env): string {
  return variables.GFLOWNET_TFBIND8_TABLE ?? fileURLToPath(new URL(`../../${BESIDE}`, import.meta.url));
}

export function hasTfbind8Table(): boolean {
  return existsSync(tfbind8Table());
}
