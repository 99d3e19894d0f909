// The kinds of units that a process can run.

import type { UnitKinds } from "../executor/unit-kind.ts";
import { waitKind } from "./wait-unit.ts";

export const UNIT_KINDS: UnitKinds = { wait: waitKind };
