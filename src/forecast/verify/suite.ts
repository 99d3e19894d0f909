// The exact suite: networks trained on processes with known distributions, and evaluated on the tree of all paths.

import { throwIssues } from "../../issues.ts";
import { birthsKernelDensity, readBirths } from "./births.ts";
import { chainCases } from "./chains.ts";
import { channelCases } from "./channels.ts";
import { hiddenRegimes } from "./hidden-regimes.ts";
import { type CaseResult, type RunCaseOptions, runCase } from "./run-case.ts";
import { scenarioCases } from "./scenarios.ts";
import { squaredErrorControl } from "./squared-error.ts";
import type { SuiteCase } from "./suite-case.ts";

/** Options of `verify`. */
export interface VerifyOptions extends Pick<RunCaseOptions, "seed" | "engine" | "threads"> {
  /** Identifiers of the cases to run. Default: all. */
  readonly only?: readonly string[];
  /** Trains for a fifth of the iterations and accepts larger errors. Default: false. */
  readonly quick?: boolean;
}

/** Factor on the iterations, and bound on the total variation above its limit, of a quick run. */
const QUICK = { effort: 0.2, bound: 0.06 };

/** Runs the cases one after the other and yields the result of each. */
export async function* verify(options: VerifyOptions = {}): AsyncGenerator<CaseResult> {
  const { only, quick = false, ...rest } = options;
  const cases = await suiteCases();
  const ids = cases.map(({ id }) => id);
  throwIssues(
    (only ?? [])
      .filter((id) => !ids.includes(id))
      .map((id) => ({
        path: "only",
        code: "unknown",
        message: `must name cases of ${ids.join(", ")}, got ${id}`,
      })),
  );
  for (const one of cases) {
    if (only && !only.includes(one.id)) continue;
    yield await runCase(one, { ...rest, ...(quick && QUICK) });
  }
}

/** All cases in the order of their numbers. */
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
