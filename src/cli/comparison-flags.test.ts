// The flags of a comparison: parsed lists, and help with the defaults of the table.

import { expect, test } from "vitest";
import { COMPARISON_DEFAULTS } from "../compare/comparison-keys.ts";
import { addComparisonFlags, comparisonOfFlags } from "./comparison-flags.ts";
import { InputCommand } from "./input.ts";

function command(): InputCommand {
  const compare = new InputCommand("compare");
  compare.exitOverride().configureOutput({ writeErr: () => {} });
  addComparisonFlags(compare);
  return compare;
}

test("lists are separated by commas, and blanks around them are ignored", () => {
  const args = ["--methods", "kl, kl-entropy", "--gammas", "1e-7,.5", "--stick", "0,0.5", "--on-policy"];
  const compare = command().parse([...args, "--calls", "64"], { from: "user" }) as InputCommand;
  expect(compare.issues).toEqual([]);
  expect(comparisonOfFlags(compare.opts())).toEqual({
    ...{ methods: ["kl", "kl-entropy"], gammas: [1e-7, 0.5], sticks: [0, 0.5] },
    ...{ calls: 64, onPolicy: true },
  });
});

test("only given flags count", () => {
  expect(comparisonOfFlags(command().parse([], { from: "user" }).opts())).toEqual({});
});

test("issues have the names of the options", () => {
  const compare = command().parse(["--stick", "1", "--gammas", "0"], { from: "user" }) as InputCommand;
  expect(compare.issues.map(({ path }) => path)).toEqual(["sticks", "gammas"]);
});

test("help shows the defaults, and other options as flags", () => {
  const help = command().helpInformation().replaceAll(/\s+/g, " ");
  const { methods, sticks, seeds, evaluations } = COMPARISON_DEFAULTS;
  for (const value of [methods.join(","), sticks.join(","), seeds, evaluations, 0.5]) {
    expect(help).toContain(`(default: ${value})`);
  }
  expect(help).toContain("this or --seconds is required");
  expect(help).not.toContain("`");
});
