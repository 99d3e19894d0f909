// All kinds of units, for the processes that run them.

import { experimentKind } from "../compare/experiment-kind.ts";
import { EXPERIMENT } from "../compare/experiment-unit.ts";
import type { UnitKinds } from "../executor/unit-kind.ts";
import { shardKind } from "../forecast/shards/shard-kind.ts";
import { FORECAST_SHARD } from "../forecast/shards/shard-settings.ts";
import { oracleKind } from "./oracle-unit.ts";
import { waitKind } from "./wait-unit.ts";

export const UNIT_KINDS: UnitKinds = {
  [EXPERIMENT]: experimentKind,
  [FORECAST_SHARD]: shardKind,
  "oracle-batch": oracleKind,
  wait: waitKind,
};
