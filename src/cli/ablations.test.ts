// Every command of docs/ablations.md is a valid comparison, without settings that have no effect.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { comparisonFromInput } from "../compare/comparison-input.ts";
import { methodWarnings } from "../compare/method-issues.ts";
import { addComparisonFlags, comparisonOfFlags } from "./comparison-flags.ts";
import { InputCommand } from "./input.ts";

const text = readFileSync(new URL("../../docs/ablations.md", import.meta.url), "utf8");
const commands = Array.from(text.matchAll(/^gflownet compare (\w+) (.*)$/gm), ([, task, flags]) => ({
  task,
  flags: flags.split(" "),
}));

test("there is a command for γ, estimator, use, regulariser, balance, loss, dynamics and encoder", () => {
  expect(commands).toHaveLength(8);
});

test.each(commands)("$task $flags", async ({ task, flags }) => {
  const command = new InputCommand("compare");
  addComparisonFlags(command);
  const options = comparisonOfFlags(command.parse(flags, { from: "user" }).opts());
  expect(command.issues).toEqual([]);
  const { methods, settings } = await comparisonFromInput({ task }, options);
  expect(methods.length).toBe(flags.filter((flag) => flag.startsWith("--method")).length);
  expect(await methodWarnings(methods, settings)).toEqual([]);
});
