// All tasks. To add one, write `src/tasks/<name>/definition.ts` and list it here.

import { bitSequence } from "./bit-sequence/definition.ts";
import { hypergrid } from "./hypergrid/definition.ts";
import { pricing } from "./pricing/definition.ts";
import { regime } from "./regime/definition.ts";
import type { TaskDefinition } from "./task-definition.ts";
import { tfbind8 } from "./tfbind8/definition.ts";

/** In the order of `gflownet tasks`; the first one is the default. */
export const TASKS: readonly TaskDefinition[] = [tfbind8, hypergrid, bitSequence, regime, pricing];
