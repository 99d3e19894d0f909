// Tests of units of experiments: no path leaves the machine, and settings of a stranger are checked strictly.

import { expect, test } from "vitest";
import { isObject } from "../executor/json-text.ts";
import type { JsonObject } from "../executor/unit.ts";
import { comparisonFromInput } from "./comparison-input.ts";
import { configOfUnit, experimentFiles, experimentProblem, experimentUnit } from "./experiment-unit.ts";

const experiment = { method: "kl", stick: 0.25, seed: 3 };

async function unitSettings(): Promise<JsonObject> {
  const comparison = await comparisonFromInput({ task: "hypergrid", side: 4 }, { calls: 1000 });
  return experimentUnit(comparison, experiment).settings;
}

test("a unit is plain data with everything that decides its records", async () => {
  const settings = await unitSettings();
  expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
  expect(settings).toMatchObject({ method: "kl", seed: 3, calls: 1000, seconds: null, evaluations: 20 });
  expect(settings.config).toMatchObject({ task: "hypergrid", side: 4, stick: 0.25, batch: 128 });
  expect(experimentProblem(settings)).toBeNull();
});

test("a file is an input by its SHA-256, and its path is nowhere in the unit", () => {
  const sha256 = "ab".repeat(32);
  const comparison = {
    ...{ methods: ["kl"], sticks: [0.25], seeds: [3], calls: 1000, seconds: null, evaluations: 2 },
    onPolicy: false,
    settings: { task: "tfbind8", table: "/home/me/table.csv", tableSha256: sha256 },
  };
  const unit = experimentUnit(comparison, experiment);
  expect(unit.inputs).toEqual({ table: sha256 });
  expect(JSON.stringify(unit)).not.toContain("/home/me");
  expect([...experimentFiles(comparison)]).toEqual([[sha256, "/home/me/table.csv"]]);
  expect(experimentProblem(unit.settings)).toBeNull();
  const there = configOfUnit(unit.settings.config as JsonObject, (name) => `/data/${name}`);
  expect(there).toMatchObject({ table: "/data/table", tableSha256: sha256 });
});

const CONFIG = "config";
test.each<[string, JsonObject, string]>([
  ["a surplus setting", { module: "evil.mjs" }, 'there is no setting "module"'],
  ["an unknown method", { method: "sarsa" }, 'there is no method "sarsa"'],
  ["a seed below 0", { seed: -1 }, "seed must be a whole number"],
  ["two budgets", { seconds: 5 }, "either calls or seconds must be a number"],
  ["no budget", { calls: null }, "either calls or seconds must be a number"],
  ["a config that is a list", { config: [] }, "config must be an object"],
  ["a path", { [CONFIG]: { table: "/etc/passwd" } }, "a file is named by its SHA-256"],
  ["a list of objects", { [CONFIG]: { offlineFile: "/etc/passwd" } }, "config.offlineFile is not a setting"],
  ["a folder", { [CONFIG]: { out: "/tmp" } }, "config.out is not a setting"],
  ["threads", { [CONFIG]: { threads: 64 } }, "config.threads is not a setting"],
  ["a wrong fingerprint", { [CONFIG]: { tableSha256: "../x" } }, "config.tableSha256 is no SHA-256"],
  ["an unknown task", { [CONFIG]: { task: "chess" } }, "config.task must be one of"],
  ["a negative batch", { [CONFIG]: { batch: -1 } }, "config.batch must be a whole number"],
  ["an option of another task", { [CONFIG]: { bits: 8 } }, "config.bits does not belong to the task"],
])("settings with %s are refused", async (_, changes, message) => {
  const settings = await unitSettings();
  const { config } = changes;
  const changed = isObject(config) ? { config: { ...(settings.config as JsonObject), ...config } } : changes;
  expect(experimentProblem({ ...settings, ...changed })).toContain(message);
});
