// All kinds of units, for the processes that run them.

import type { UnitKinds } from "../executor/unit-kind.ts";
import { shardKind } from "../forecast/shards/shard-kind.ts";
import { FORECAST_SHARD } from "../forecast/shards/shard-settings.ts";

export const UNIT_KINDS: UnitKinds = {
  [FORECAST_SHARD]: shardKind,
};
