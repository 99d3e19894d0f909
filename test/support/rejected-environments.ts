// Environments that meet the contract, and a function that tests that violations of the contract are reported.

import { expect, test } from "vitest";
import { checkEnvironment } from "../../src/gfn/environment/check-environment.ts";
import type { EnumerableEnvironment, Environment } from "../../src/gfn/environment/environment.ts";
import { hypergridEnvironment } from "../../src/gfn/environment/hypergrid.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";

export const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
export const certain = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0 });
export const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
export const grid = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
export const long = longSequenceEnvironment({ alphabet: "ACGT", length: 30, stick: 0.25, variable: true });
export const stringsEnumeration = strings.enumerate();

/** The same environment without its enumeration. */
export function withoutEnumeration({ enumerate: _, ...rest }: EnumerableEnvironment): Environment {
  return rest;
}

/**
 * Tests that each broken environment is rejected with its message. A broken environment is a valid one with some
 * members replaced.
 */
export function rejects(cases: readonly (readonly [message: string, broken: object])[]): void {
  test.each(cases)("%s", (message, broken) => {
    const { name } = broken as Environment;
    const check = () => checkEnvironment(broken as Environment);
    expect(check).toThrow(RangeError);
    expect(check).toThrow(`${name}: ${message}`);
  });
}
