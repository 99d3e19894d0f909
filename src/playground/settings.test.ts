import { describe, expect, test } from "vitest";
import {
  DEFAULT_SETTINGS,
  PLAYGROUND_KEYS,
  type PlaygroundSettings,
  queryOf,
  settingsFor,
  settingsOf,
} from "./settings.ts";

describe("the settings in an address", () => {
  test("are only those that differ from the start of the problem", () => {
    expect(queryOf(DEFAULT_SETTINGS)).toBe("problem=hypergrid");
    expect(queryOf(settingsFor("tfbind8"))).toBe("problem=tfbind8");
    expect(queryOf({ ...DEFAULT_SETTINGS, stick: 0.5, stateTable: false })).toBe(
      "problem=hypergrid&stick=0.5&stateTable=false",
    );
  });

  test("come back as they were", () => {
    const changed: PlaygroundSettings = {
      ...{ reward: "x1 + 'é&=#' * x2", missing: 0.5, variable: true },
      ...{ problem: "tfbind8", side: 12, stick: 0.35, objective: "db", rewardExponent: 4.5, exploration: 0 },
      ...{ width: 128, layers: 3, stateTable: false, iterations: 123, seed: 42 },
    };
    const query = queryOf(changed);
    expect(settingsOf(query)).toEqual({ settings: changed, issues: [] });
  });

  test("are replaced by the default, with a sentence, where they make no sense", () => {
    const { settings, issues } = settingsOf("stick=1e99&objektive=db&side=8&width=NaN&problem=<b>&seed=-1");
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(issues.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'stick must be a number in [0, 0.95], got "1e99"',
      "objektive there is no such setting; `objective` is one",
      'width must be a whole number from 8 to 256, got "NaN"',
      'problem must be one of hypergrid, formula, picture, tfbind8, table, got "<b>"',
      'seed must be a whole number from 0 to 2^31 - 1, got "-1"',
    ]);
  });

  test("all have a valid default", () => {
    for (const [name, { kind }] of Object.entries(PLAYGROUND_KEYS)) {
      expect([name, kind.violation(DEFAULT_SETTINGS[name as keyof typeof DEFAULT_SETTINGS])]).toEqual([
        name,
        null,
      ]);
    }
  });
});
