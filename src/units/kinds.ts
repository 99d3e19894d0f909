// The kinds of units that a process can run.

import type { UnitKinds } from "../executor/unit-kind.ts";
import { oracleKind } from "./oracle-unit.ts";
import { waitKind } from "./wait-unit.ts";

export const UNIT_KINDS: UnitKinds = { "oracle-batch": oracleKind, wait: waitKind };
