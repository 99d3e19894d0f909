// The exact suite: tests of GFlowNets over token paths against known distributions. Its cases are loaded when they are
// first used.

import type { CaseResult } from "./run-case.ts";
import type { VerifyOptions } from "./suite.ts";
import type { SuiteCase } from "./suite-case.ts";

export type { CaseResult } from "./run-case.ts";
export type { VerifyOptions } from "./suite.ts";

/** Runs the cases of the suite one after the other and yields the result of each. */
export async function* verify(options: VerifyOptions = {}): AsyncGenerator<CaseResult> {
  const suite = await import("./suite.ts");
  yield* suite.verify(options);
}

/** All cases in the order of their numbers. */
export async function suiteCases(): Promise<SuiteCase[]> {
  const suite = await import("./suite.ts");
  return suite.suiteCases();
}
