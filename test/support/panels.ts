// Panels for tests of forecasts: from plain numbers, from data files of the package, or from public data files next to
// the repository.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Panel } from "../../src/forecast/types.ts";

const DAY = 86_400_000;

/** A panel of daily series with one target each; the keys are the ids of the series. */
export function panelOf(series: Readonly<Record<string, ArrayLike<number>>>, season = 1): Panel {
  return {
    series: Object.entries(series).map(([id, values]) => ({
      id,
      times: Float64Array.from({ length: values.length }, (_, t) => t * DAY),
      targets: [Float64Array.from(values)],
      covariates: {},
      statics: {},
    })),
    targets: ["y"],
    covariates: [],
    frequency: { unit: "day", count: 1 },
    season,
  };
}

/** Daily births, from the data of the package. */
export function births(years: "1969-1988" | "2000-2014"): number[] {
  return columns(new URL(`../../data/us-births-${years}.csv.gz`, import.meta.url)).y;
}

/** A public data file that is not part of the package; null if it is missing. */
export function publicTable(file: string): Readonly<Record<string, number[]>> | null {
  const url = new URL(`../../../shared/data/timeseries/${file}`, import.meta.url);
  return existsSync(fileURLToPath(url)) ? columns(url) : null;
}

/** Columns by name, or by number if the file has no header. */
function columns(url: URL): Record<string, number[]> {
  const bytes = readFileSync(url);
  const text = (url.pathname.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  const lines = text.trim().split(/\r?\n/);
  const heading = /^[-\d.]/.test(lines[0])
    ? lines[0].split(",").map((_, i) => `${i}`)
    : lines.shift()!.split(",");
  const cells = lines.map((line) => line.split(","));
  return Object.fromEntries(heading.map((name, i) => [name, cells.map((row) => Number(row[i]))]));
}
