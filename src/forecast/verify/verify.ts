// The exact suite: networks trained on processes whose laws are known, each judged on the whole tree of its paths.

import { birthsKernelDensity, readBirths } from "./births.ts";
import { chainCases } from "./chains.ts";
import { channelCases } from "./channels.ts";
import { hiddenRegimes } from "./hidden-regimes.ts";
import { type RunCaseOptions, runCase, type VerifyRow } from "./run-case.ts";
import { scenarioCases } from "./scenarios.ts";
import { squaredErrorControl } from "./squared-error.ts";
import type { SuiteCase } from "./suite-case.ts";

export interface VerifyOptions extends Pick<RunCaseOptions, "seed" | "engine" | "threads"> {
  /** Only these cases; all unless told. */
  readonly only?: readonly string[];
  /** A fifth of the training, and wider bounds. */
  readonly quick?: boolean;
}

/** What a quick run is given, and what it must reach. */
const QUICK = { effort: 0.2, bound: 0.06 };

/** Runs the cases one after the other; a row for each when it is judged. */
export async function* verify(options: VerifyOptions = {}): AsyncGenerator<VerifyRow> {
  const { only, quick = false, ...rest } = options;
  const cases = await suiteCases();
  const known = cases.map(({ id }) => id);
  const unknown = only?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new RangeError(`verify: cases are ${known.join(", ")}, got ${unknown}`);
  }
  for (const one of cases) {
    if (only && !only.includes(one.id)) continue;
    yield await runCase(one, { ...rest, ...(quick && QUICK) });
  }
}

/** All cases, in the order of their numbers. */
export async function suiteCases(): Promise<SuiteCase[]> {
  const cases = [
    ...chainCases(),
    hiddenRegimes(),
    ...scenarioCases(),
    ...channelCases(),
    birthsKernelDensity(await readBirths()),
    squaredErrorControl(),
  ];
  const number = ({ id }: SuiteCase) => Number.parseInt(id.slice(1), 10);
  return cases.sort((a, b) => number(a) - number(b));
}
