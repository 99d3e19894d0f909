import { expect, test } from "vitest";
import { loadWarning, packageVersion, thisMachine } from "./machine.ts";

test("a busy machine is warned about, a quiet one is not", () => {
  expect(loadWarning([1.25, 0, 0], 2)).toBe(
    "The load average is 1.25 on 2 cores: other work is running, so expect noise.",
  );
  expect(loadWarning([0.4, 3, 3], 2)).toBeUndefined();
});

test("versions are those of installed packages, and null for others", () => {
  expect(packageVersion("@jax-js/jax")).toMatch(/^\d+\.\d+\.\d+/);
  expect(packageVersion("no-such-package")).toBeNull();
});

test("the machine is described", () => {
  const { cores, node } = thisMachine();
  expect(cores).toBeGreaterThan(0);
  expect(node).toBe(process.version);
});
