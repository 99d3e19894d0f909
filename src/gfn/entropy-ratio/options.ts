// What a run may be told about the entropy ratio and the entropy regulariser: plain data, and its checks.

import { type Course, checkCourse, isAlways } from "../course.ts";
import type { Objective } from "../objectives/choice.ts";
import { ESTIMATORS, type Estimator, RATIO_USES, type RatioUse } from "./choice.ts";

export interface EntropyRatioOptions {
  readonly use: RatioUse;
  readonly estimator: Estimator;
  /** Share of the high entropy in the mixture of both, in (0, 1); a change of it may end at 1, where the ratio is 1. */
  readonly gamma: Course;
  /** Level q of the batch's low quantile, in (0, ½); the high one is at 1 − q. `clamp` has none. */
  readonly quantile: number;
}

export interface EntropyRegulariserOptions {
  /** What it is multiplied by before it is added to the loss. Unless that ends at 0, training ends elsewhere. */
  readonly coefficient: Course;
}

/** The settings that say something about entropies. */
export interface EntropySettings {
  readonly entropyRatio?: EntropyRatioOptions;
  /** Takes γ and the estimator of `entropyRatio`, or its defaults. */
  readonly entropyRegulariser?: EntropyRegulariserOptions;
}

export const DEFAULT_ENTROPY_RATIO: EntropyRatioOptions = {
  use: "observe",
  estimator: "quantile",
  gamma: 0.5,
  quantile: 0.25,
};

/** The ratio as a run uses it; null in a run that does not. */
export function ratioUsed(settings: EntropySettings): EntropyRatioOptions | null {
  return settings.entropyRatio ?? (regularises(settings) ? DEFAULT_ENTROPY_RATIO : null);
}

/** Whether the regulariser ever counts. */
export function regularises({ entropyRegulariser }: EntropySettings): boolean {
  return entropyRegulariser !== undefined && !isAlways(entropyRegulariser.coefficient, 0);
}

/** Throws one sentence that names the setting if one is out of its range or cannot do what it is for. */
export function checkEntropy(settings: EntropySettings, objective: Objective): void {
  const { entropyRatio: ratio, entropyRegulariser: regulariser } = settings;
  if (regulariser) {
    const range = { low: 0, high: Number.MAX_VALUE };
    checkCourse("entropyRegulariser.coefficient", regulariser.coefficient, range);
  }
  if (!ratio) return;
  const choices = { use: RATIO_USES, estimator: ESTIMATORS } as const;
  for (const [name, names] of Object.entries(choices)) {
    const chosen = ratio[name as keyof typeof choices];
    if (!(names as readonly string[]).includes(chosen)) {
      throw new RangeError(`entropyRatio.${name} must be one of ${names.join(", ")}, got ${chosen}`);
    }
  }
  checkCourse("entropyRatio.gamma", ratio.gamma, { low: 0, high: 1 });
  if (gammaProblem(ratio.gamma)) throw new RangeError(`entropyRatio.gamma ${gammaProblem(ratio.gamma)}`);
  if (!(ratio.quantile > 0 && ratio.quantile < 0.5)) {
    throw new RangeError(`entropyRatio.quantile must be in (0, 0.5), got ${ratio.quantile}`);
  }
  const useless = useProblem(ratio, objective, regularises(settings));
  if (useless) throw new RangeError(`entropyRatio.use ${useless}`);
}

/** What is wrong with γ beyond its bounds; null if nothing is. */
export function gammaProblem(gamma: Course): string | null {
  const { from, to } = typeof gamma === "number" ? { from: gamma, to: gamma } : gamma;
  const ends = typeof gamma !== "number" && to === 1;
  if (from > 0 && from < 1 && to > 0 && (to < 1 || ends)) return null;
  return `must be in (0, 1), and only a change of it may end at 1, got ${typeof gamma === "number" ? gamma : `${from} to ${to}`}`;
}

/** Why a use of the ratio would do nothing or something else beside the other settings; null if it would not. */
export function useProblem(
  { use, estimator }: Pick<EntropyRatioOptions, "use" | "estimator">,
  { balance, loss }: Objective,
  regularised: boolean,
): string | null {
  const perState = use === "potential" || use === "margin";
  if (perState && estimator === "quantile") {
    return `${use} needs a ratio per state, and the estimator quantile gives one per batch; use state or clamp`;
  }
  if (use === "potential" && (balance === "tb" || balance === "vargrad")) {
    return `potential does nothing with ${balance}, for it cancels over whole episodes; use db, fl-db or subtb`;
  }
  if (use === "potential" && loss === "kl-literal") {
    return "potential changes flows, and kl-literal has none; use margin";
  }
  if (use === "behaviour" && regularised) {
    return "behaviour leaves no episodes that the policy itself drew, and entropyRegulariser counts only those; use one of them";
  }
  return null;
}
