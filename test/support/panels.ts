// Panels for tests of forecasts: made of plain numbers, or read from the files that come with the package and beside it.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Panel } from "../../src/forecast/types.ts";

const DAY = 86_400_000;

/** Series of one target, a step a day, by id. */
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

/** Daily births, as they come with the package. */
export function births(years: "1969-1988" | "2000-2014"): number[] {
  return columns(new URL(`../../data/us-births-${years}.csv.gz`, import.meta.url)).y;
}

/** A file of public data that is not part of the package; null where it is absent. */
export function publicTable(file: string): Readonly<Record<string, number[]>> | null {
  const url = new URL(`../../../shared/data/timeseries/${file}`, import.meta.url);
  return existsSync(fileURLToPath(url)) ? columns(url) : null;
}

/** Columns by name, or by number where the file has no heading. */
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
