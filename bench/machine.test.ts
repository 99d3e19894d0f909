import { expect, test } from "vitest";
import { loadWarning, packageVersion, thisMachine } from "./machine.ts";

test("there is a warning for a busy machine, and none for an idle one", () => {
  expect(loadWarning([1.25, 0, 0], 2)).toBe(
    "The load average is 1.25 on 2 cores: other processes are running, so expect noisy results.",
  );
  expect(loadWarning([0.4, 3, 3], 2)).toBeUndefined();
});

test("packageVersion returns the version of an installed package, else null", () => {
  expect(packageVersion("@jax-js/jax")).toMatch(/^\d+\.\d+\.\d+/);
  expect(packageVersion("no-such-package")).toBeNull();
});

test("the description of the machine is complete", () => {
  const { cores, node } = thisMachine();
  expect(cores).toBeGreaterThan(0);
  expect(node).toBe(process.version);
});
