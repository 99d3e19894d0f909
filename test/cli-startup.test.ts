// Tests that --help and --version start quickly: they load only names, rules and help texts, and no engine, network or
// package except commander.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCommandLine, type CommandLine } from "./support/command-line.ts";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
});
afterAll(() => cli?.remove());

/** A module hook that appends the URL of every loaded module to a file. */
const HOOKS = `
import { appendFileSync } from "node:fs";
let file;
export const initialize = (data) => { file = data; };
export const load = (url, context, next) => {
  appendFileSync(file, url + "\\n");
  return next(url, context);
};`;

/** The modules that a command loads: sources by their path under src, packages by name, without Node's own modules. */
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

/** All modules that are loaded before a command runs. */
const IMMEDIATE = [
  "baselines/ppo-keys",
  "baselines/search-keys",
  "baselines/shared-settings",
  "cli/command-name",
  "cli/commands/forecast/data-flags",
  "cli/commands/forecast/model-flags",
  "cli/commands/forecast/register",
  "cli/comparison-flags",
  "cli/config-flags",
  "cli/input",
  "cli/main",
  "cli/methods-help",
  "cli/output",
  "cli/paths",
  "cli/register-queue",
  "cli/report-error",
  "cli/task-help",
  "cli/task-name",
  "cli/version",
  "commander",
  "compare/comparison-keys",
  "compare/method-names",
  "config/config",
  "config/run-keys",
  "disk/run-error",
  "engine/engine-name",
  "expression/expression",
  "expression/expression-error",
  "expression/functions",
  "expression/parser",
  "expression/tokens",
  "forecast/data/fill-gaps",
  "forecast/data/normalise",
  "forecast/data/option-names",
  "forecast/forecasters/forecaster-names",
  "forecast/model/settings-table",
  "forecast/network/encoder-kinds",
  "forecast/option-kinds",
  "formats/decimal",
  "formats/finite-json",
  "formats/tables/format-names",
  "gfn/environment/enumeration",
  "gfn/environment/environment",
  "gfn/environment/hypergrid-codec",
  "gfn/environment/hypergrid-states",
  "gfn/objectives/entropy-ratio/choices",
  "gfn/objectives/entropy-ratio/options",
  "gfn/objectives/objective",
  "gfn/policy/input-names",
  "gfn/training/plan",
  "gfn/training/run-kinds",
  "gfn/training/settings-table",
  "issues",
  "math/edit-distance",
  "math/memory-budget",
  "math/statistics",
  "nn/activation-names",
  "nn/optim/schedule",
  "proxy/acquisition-names",
  "report/figure-format-names",
  "run/event-lines",
  "run/sample-format-names",
  "settings/keys",
  "settings/kinds",
  "settings/nearest",
  "settings/schedule-kind",
  "settings/without-undefined",
  "sweep/sweep-kinds",
  "tasks/bit-sequence/definition",
  "tasks/bit-sequence/options",
  "tasks/hypergrid/definition",
  "tasks/hypergrid/formula-reward",
  "tasks/hypergrid/options",
  "tasks/pricing/definition",
  "tasks/pricing/options",
  "tasks/regime/definition",
  "tasks/regime/options",
  "tasks/registry",
  "tasks/stick-key",
  "tasks/table/definition",
  "tasks/table/options",
  "tasks/task",
  "tasks/task-definition",
  "tasks/tfbind8/definition",
  "tasks/tfbind8/options",
];

test.each([
  [["--help"]],
  [["train", "--help"]],
  [["train", "tfbind8", "--help"]],
  [["compare", "--help"]],
  [["forecast", "backtest", "--help"]],
  [["--version"]],
])("%j loads only the modules of the list", (args) => {
  expect(loadedBy(...args)).toEqual(IMMEDIATE);
});

test("the list contains no engine, no networks and no package except commander", () => {
  expect(IMMEDIATE.filter((name) => /^(engine|nn)\//.test(name))).toEqual([
    ...["engine/engine-name", "nn/activation-names", "nn/optim/schedule"],
  ]);
  expect(IMMEDIATE.filter((name) => !existsSync(`src/${name}.ts`))).toEqual(["commander"]);
});

test("the command limit loads more modules, which shows that the check above can fail", () => {
  const loaded = loadedBy("limit", "hypergrid", "--side", "4");
  expect(loaded).toEqual(expect.arrayContaining([...IMMEDIATE, "cli/commands/limit", "gfn/evaluate/limit"]));
  // Only reports need a drawing library.
  for (const name of ["@observablehq/plot", "linkedom"]) expect(loaded).not.toContain(name);
});
