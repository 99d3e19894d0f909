// Environments that keep the contract, and tests that each way to break it is named.

import { expect, test } from "vitest";
import { checkEnvironment } from "../../src/gfn/check-environment.ts";
import type { EnumerableEnvironment, Environment } from "../../src/gfn/environment.ts";
import { hypergridEnvironment } from "../../src/gfn/environments/hypergrid.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../../src/gfn/environments/sequence.ts";

export const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
export const certain = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0 });
export const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
export const grid = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
export const long = longSequenceEnvironment({ alphabet: "ACGT", length: 30, stick: 0.25, variable: true });
export const listed = strings.enumerate();

/** The environment without its list of states. */
export function unlisted({ enumerate: _, ...rest }: EnumerableEnvironment): Environment {
  return rest;
}

/** Every test names what is broken; `broken` is a good environment with one member replaced. */
export function refuses(cases: readonly (readonly [message: string, broken: object])[]): void {
  test.each(cases)("%s", (message, broken) => {
    const { name } = broken as Environment;
    const check = () => checkEnvironment(broken as Environment);
    expect(check).toThrow(RangeError);
    expect(check).toThrow(`${name}: ${message}`);
  });
}
