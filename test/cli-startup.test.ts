// Help is immediate: it loads the command line's own words, and no networks, no arrays and no schemas.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCommandLine, type CommandLine } from "./support/command-line.ts";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
});
afterAll(() => cli?.remove());

/** Has Node write down every module that it loads. */
const HOOKS = `
import { appendFileSync } from "node:fs";
let file;
export const initialize = (data) => { file = data; };
export const load = (url, context, next) => {
  appendFileSync(file, url + "\\n");
  return next(url, context);
};`;

/** Sources by their path under src, packages by their name; Node's own modules left out. */
function loadedBy(...args: string[]): string[] {
  const file = cli.at("loaded.txt");
  writeFileSync(file, "");
  const hooks = `data:text/javascript,${encodeURIComponent(HOOKS)}`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(hooks)}, { data: ${JSON.stringify(file)} });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(register)}`, cli.main, ...args],
    { encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const root = posix.dirname(posix.dirname(pathToFileURL(cli.main).href));
  const names = readFileSync(file, "utf8")
    .split("\n")
    .filter((url) => url.startsWith("file:"))
    .map((url) => {
      const inPackage = /\/node_modules\/((@[^/]+\/)?[^/]+)\//.exec(url);
      return inPackage ? inPackage[1] : url.replace(`${root}/`, "").replace(/\.js$/, "");
    });
  return [...new Set(names)].sort();
}

const IMMEDIATE = [
  "cli/commands/forecast/choices",
  "cli/commands/forecast/data-flags",
  "cli/commands/forecast/model-flags",
  "cli/commands/forecast/register",
  "cli/config/course-kind",
  "cli/config/error",
  "cli/config/flags",
  "cli/config/keys",
  "cli/config/kinds",
  "cli/fail",
  "cli/flag-kinds",
  "cli/main",
  "cli/output",
  "cli/sample-formats",
  "cli/typed",
  "cli/version",
  "commander",
  "compare/method-names",
  "engine/engine-name",
  "forecast/model/defaults",
  "gfn/entropy-ratio/choice",
  "gfn/objectives/choice",
  "run/metrics-lines",
  "run/run-error",
];

test.each([
  [["--help"]],
  [["train", "--help"]],
  [["compare", "--help"]],
  [["forecast", "backtest", "--help"]],
  [["--version"]],
])("%j loads this and no more", (args) => {
  expect(loadedBy(...args)).toEqual(IMMEDIATE);
});

test("the list can fail: limit loads more", () => {
  const loaded = loadedBy("limit", "hypergrid", "--side", "4");
  expect(loaded).toEqual(expect.arrayContaining([...IMMEDIATE, "cli/commands/limit", "gfn/evaluate/limit"]));
  // Only a report draws.
  for (const name of ["@observablehq/plot", "linkedom"]) expect(loaded).not.toContain(name);
});
