// All tasks. To add a task, write `src/tasks/<name>/definition.ts` and list it here.

import { bitSequence } from "./bit-sequence/definition.ts";
import { hypergrid } from "./hypergrid/definition.ts";
import { pricing } from "./pricing/definition.ts";
import { regime } from "./regime/definition.ts";
import { table } from "./table/definition.ts";
import type { TaskDefinition } from "./task-definition.ts";
import { tfbind8 } from "./tfbind8/definition.ts";

/** The tasks in the order in which `gflownet tasks` lists them; the first task is the default. */
export const TASKS: readonly TaskDefinition[] = [tfbind8, hypergrid, bitSequence, regime, pricing, table];
