// Parquet files of many small generated series, for tests of shards: ids are numbers as texts, row groups are small, and some
// series are short, empty, end early or have gaps.

import { loadDuckDB } from "../../src/formats/tables/duckdb.ts";

/** Rows of a row group, the least that DuckDB writes. */
export const GROUP_ROWS = 2048;

export interface SeriesParquetOptions {
  readonly series: number;
  /** Rows of most series. */
  readonly length?: number;
  /** The order of the rows. Default: by series, as numbers, and time. */
  readonly order?: string;
  /** Type of the column of series names. Default: VARCHAR. */
  readonly idType?: string;
}

/** Series 7, 57, 107, … are short; 11, 61, … have no value; 13, 63, … end early; 17, 67, … lack rows. */
export async function writeSeriesParquet(
  file: string,
  { series, length = 40, order = "s, t", idType = "VARCHAR" }: SeriesParquetOptions,
): Promise<void> {
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    await connection.run(
      `COPY (
        SELECT CAST(s AS ${idType}) AS unique_id, DATE '2015-01-31' + INTERVAL (t) MONTH AS ds,
          CASE WHEN s % 50 = 11 OR (s % 50 = 19 AND t % 5 = 2) THEN NULL
            ELSE 50 + s % 17 + 10 * sin(t * 0.5235987755982988) + ((s * 7919 + t * 104729) % 1000) / 97.0 END AS y
        FROM range(${series}) a(s), range(${length}) b(t)
        WHERE NOT (s % 50 = 7 AND t < ${length - 5}) AND NOT (s % 50 = 13 AND t >= ${length - 6})
          AND NOT (s % 50 = 17 AND t % 4 = 1)
        ORDER BY ${order}
      ) TO '${file.replaceAll("'", "''")}' (FORMAT parquet, ROW_GROUP_SIZE ${GROUP_ROWS})`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
