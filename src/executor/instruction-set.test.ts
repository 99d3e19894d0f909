// Tests of the instruction set: the flags that are read from a processor's description, and their order.

import { arch } from "node:os";
import { expect, test } from "vitest";
import { flagsOf, instructionSet } from "./instruction-set.ts";

test("the relevant flags of an x64 processor have one order, whatever the system's", () => {
  const text =
    "processor\t: 0\nmodel name\t: A\nflags\t\t: fpu fma avx512f avx avx2 sse4_2 ssse3\n\nprocessor\t: 1\nflags\t: avx\n";
  expect(flagsOf(text)).toEqual(["sse4_2", "avx", "avx2", "fma", "avx512f"]);
});

test("an ARM processor lists features", () => {
  expect(flagsOf("Features\t: fp asimd evtstrm sve\n")).toEqual(["asimd", "sve"]);
});

test("a system without a list has no flags", () => {
  expect(flagsOf("")).toBeNull();
});

test("the instruction set begins with the architecture and does not change", () => {
  expect(instructionSet().split(" ")[0]).toBe(arch());
  expect(instructionSet()).toBe(instructionSet());
});
