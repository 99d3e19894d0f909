import { expect, test } from "vitest";
import { settingsOf } from "./settings-text.ts";

test("values are JSON where they can be, else texts", () => {
  const text = 'task: hypergrid\n\n seed : 3\nstick: {"from": 0.1}\nquiet: true\nname: a: b\n';
  expect(settingsOf(text)).toEqual({
    ...{ task: "hypergrid", seed: 3, stick: { from: 0.1 }, quiet: true, name: "a: b" },
  });
});

test("a line that is no setting is named", () => {
  expect(() => settingsOf("seed: 1\nnonsense")).toThrow(
    'Line 2 must be a name, a colon and a value, got "nonsense".',
  );
  expect(() => settingsOf("seed:")).toThrow('Line 1 must be a name, a colon and a value, got "seed:".');
});
