// Small files of time series, and `gflownet forecast` in their folder.

import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll } from "vitest";
import { buildCommandLine } from "./command-line.ts";

/** Flags of a network that trains fast. */
export const SMALL =
  "--iterations 40 --validate-every 20 --batch 8 --hidden 8 --width 4 --bins 4 --samples 20".split(" ");

/** A folder with CSV files: constant weeks, a linear trend, and hourly data. */
export function forecastFiles() {
  const cli = buildCommandLine();
  afterAll(() => cli.remove());
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(cli.at(name), `${lines.join("\n")}\n`);
  /** Runs a command that must succeed. */
  const run = (...words: readonly string[]) => cli.output("forecast", ...words);
  write(
    "weeks.csv",
    daily(70, (t) => t % 7),
  );
  write(
    "line.csv",
    daily(30, (t) => 3 * t),
  );
  write("hours.csv", ["ds,y", ...Array.from({ length: 9 }, (_, t) => `2020-01-01T0${t}:00Z,${t}`)]);
  mkdirSync(cli.at("folder"));
  return { cli, write, run };
}

export function dayAt(t: number): string {
  return new Date(Date.UTC(2020, 0, 1 + t)).toISOString().slice(0, 10);
}

export function daily(count: number, value: (t: number) => number | string): string[] {
  return ["ds,y", ...Array.from({ length: count }, (_, t) => `${dayAt(t)},${value(t)}`)];
}

/** Rows as objects by column name. */
export function csvOf(text: string): Record<string, string>[] {
  const [head, ...rows] = text.trim().split("\n");
  const names = head.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((cell, i) => [names[i], cell])));
}
