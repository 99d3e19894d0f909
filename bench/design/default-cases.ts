// The rows on the defaults of a run with a call budget: the mean score of the trained policy beside that of the uniform
// and of the best reachable policy.

import { type Outcome, REQUIRED_SHARE, runOnce } from "./defaults.ts";
import type { CasesOf } from "./design-case.ts";
import { DECISIVE, HELD_OUT, REQUIRED } from "./problems.ts";

const PROBLEMS = [...REQUIRED, ...DECISIVE, ...HELD_OUT];
const QUICK_CALLS = 2000;

/** One run on one of the problems. */
export interface DefaultsMeasurement {
  readonly problem: string;
  readonly calls: number;
  readonly seed: number;
}

export interface DefaultsResult extends Outcome {
  readonly uniform: number;
  readonly bestReachable: number;
}

export async function measureDefaults({
  problem: name,
  calls,
  seed,
}: DefaultsMeasurement): Promise<DefaultsResult> {
  const problem = PROBLEMS.find((problem) => problem.name === name);
  if (!problem) throw new RangeError(`design: there is no problem ${name}`);
  const { uniform, bestReachable } = problem.references();
  return { uniform, bestReachable, ...(await runOnce({ ...problem, calls }, seed, {})) };
}

export const defaultCases: CasesOf<DefaultsResult> = ({ quick, seeds }) =>
  PROBLEMS.map((problem) => {
    const calls = quick ? QUICK_CALLS : problem.calls;
    return {
      section: "defaults",
      setting: `${problem.name}, ${calls.toLocaleString("en-US")} calls${HELD_OUT.includes(problem) ? ", held out" : ""}`,
      measurements: seeds.map((seed) => ({ section: "defaults", problem: problem.name, calls, seed })),
      figures(results) {
        const [{ uniform, bestReachable }] = results;
        const shares = results.map(({ mean }) => (mean - uniform) / (bestReachable - uniform));
        return {
          references: `uniform ${uniform.toFixed(4)}, best reachable ${bestReachable.toFixed(4)}`,
          measured: results
            .map(({ mean }, i) => `${mean.toFixed(4)} (${(100 * shares[i]).toFixed(0)} %)`)
            .join(", "),
          required: `share of the way at least ${100 * REQUIRED_SHARE} %`,
          met: quick ? null : shares.every((share) => share >= REQUIRED_SHARE),
        };
      },
    };
  });
