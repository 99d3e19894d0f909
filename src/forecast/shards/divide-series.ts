// Divides the series of a file into shards: neighbours in the file, of limited size.

import { jsonText } from "../../executor/json-text.ts";
import { UserError } from "../../issues.ts";
import { backtestMetrics } from "../backtest/backtest.ts";
import { metricNames } from "../metrics/forecast-metrics.ts";
import type { SeriesBlock } from "./panel-facts.ts";
import { caseLength, NUMBER_SIZE } from "./shard-record.ts";
import { MAX_SETTINGS, MAX_SHARD_SERIES, type ShardSettings } from "./shard-settings.ts";

/** A row group of a Parquet file. */
export interface RowGroup {
  /** Its first row, counted from 0. */
  readonly from: number;
  readonly rows: number;
}

/** Bytes of the records of a shard, apart from the sums of its metrics. */
const RECORD_BYTES = 250_000;
/** Rows of a shard, so that its series fit into little memory. */
const SHARD_ROWS = 250_000;
/** Series of the sample. */
const SAMPLE = 12;
/** Bytes of the names of series in a shard, if it needs them. */
const NAME_BYTES = 30_000;

type CommonSettings = Omit<ShardSettings, "rows" | "ids" | "series">;

export interface DividedSeries {
  readonly shards: readonly ShardSettings[];
  /** A further shard with forecasts of the first series that can be forecast, for charts. */
  readonly sample: ShardSettings;
  /** Most row groups that a shard reads. */
  readonly most: number;
  /** Whether rows of one series lie between rows of others. */
  readonly isScattered: boolean;
}

/** Divides the series in the order of their first rows. `least` is the least number of shards. */
export function divideSeries(
  series: readonly SeriesBlock[],
  rowGroups: readonly RowGroup[],
  common: CommonSettings,
  least = 1,
): DividedSeries {
  const sorted = series.toSorted((a, b) => a.first - b.first);
  const isScattered = sorted.some(({ first, last, size }) => last - first + 1 !== size);
  const bytes = bytesPerSeries(common);
  const most = Math.min(MAX_SHARD_SERIES, Math.ceil(series.length / least));
  const shards: ShardSettings[] = [];
  let shard: SeriesBlock[] = [];
  let [rows, size, names] = [0, 0, 0];
  const end = () => {
    if (shard.length > 0) shards.push(shardOf(shard, common));
    shard = [];
    [rows, size, names] = [0, 0, 0];
  };
  for (const one of sorted) {
    const name = jsonText(one.id).length + 1;
    const isFull =
      shard.length === most ||
      rows + one.size > SHARD_ROWS ||
      size + bytes + name > RECORD_BYTES ||
      (isScattered && names + name > NAME_BYTES);
    if (isFull) end();
    shard.push(one);
    rows += one.size;
    size += bytes + name;
    names += name;
  }
  end();
  const read = shards.map(({ rows: { from, to } }) => countBetween(rowGroups, from, to));
  const long = sorted.filter(({ usable, size }) => usable && size > common.horizon);
  const shown = (long.length > 0 ? long : sorted).slice(0, SAMPLE);
  const sample = shardOf(shown, { ...common, forecasts: true });
  return { shards, sample, most: read.reduce((a, b) => Math.max(a, b), 0), isScattered };
}

/** About the number of characters of the records of a series, without its name. */
function bytesPerSeries({
  models,
  levels,
  quantiles,
  targetColumns,
  windows,
  horizon,
  forecasts,
}: CommonSettings): number {
  const scores = models.length * metricNames(backtestMetrics(levels)).length;
  const values = forecasts ? windows * caseLength(horizon, models.length, { levels, quantiles }) : 0;
  return targetColumns.length * NUMBER_SIZE * (scores + values) + 40;
}

function shardOf(series: readonly SeriesBlock[], common: CommonSettings): ShardSettings {
  const from = series[0].first - 1;
  const to = series.reduce((latest, { last }) => Math.max(latest, last), 0);
  const own = series.reduce((sum, { size }) => sum + size, 0);
  const settings = {
    ...common,
    ...{ rows: { from, to }, series: series.length },
    // Names are needed only if other series have rows between these.
    ...(to - from !== own && { ids: series.map(({ id }) => id) }),
  };
  if (jsonText(settings as never).length <= MAX_SETTINGS) return settings;
  const message = "the names of columns and series are too long for a shard; shorten them";
  throw new UserError(message);
}

function countBetween(groups: readonly RowGroup[], from: number, to: number): number {
  return groups.filter((group) => group.from < to && group.from + group.rows > from).length;
}
