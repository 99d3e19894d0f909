// Options of the entropy ratio and the entropy regulariser, derived from the settings, and the rules for them.

import { isConstant, type Schedule } from "../../../nn/optim/schedule.ts";
import type { Settings } from "../../training/settings.ts";
import type { EntropyRatioEstimator, EntropyRatioUse } from "./choices.ts";

/** Use and estimator of the entropy ratio. */
export interface EntropyRatioOptions {
  readonly use: EntropyRatioUse;
  readonly estimator: EntropyRatioEstimator;
  /** Weight γ of the high entropy in the mixture with the low one, in (0, 1). A schedule may end at 1, where r is 1. */
  readonly gamma: Schedule;
  /** Level q of the low quantile of the batch, in (0, ½); the high quantile is at 1 − q. The estimator `clamp` uses none. */
  readonly quantile: number;
}

/** The settings of the entropy ratio and the regulariser. */
type EntropySettings = Pick<
  Settings,
  "entropyRatio" | "entropyEstimator" | "entropyGamma" | "entropyQuantile" | "entropyRegulariser"
>;

/** The options of the ratio, or null in a run that does not use it. The regulariser needs the ratio as well. */
export function entropyRatioOf(settings: EntropySettings): EntropyRatioOptions | null {
  const { entropyRatio: use, entropyEstimator: estimator, entropyGamma: gamma } = settings;
  if (use === "none" && !usesEntropyRegulariser(settings)) return null;
  return { use: use === "none" ? "observe" : use, estimator, gamma, quantile: settings.entropyQuantile };
}

/** Whether the regulariser has a coefficient above 0 at some point of the run. */
export function usesEntropyRegulariser({
  entropyRegulariser,
}: Pick<Settings, "entropyRegulariser">): boolean {
  return !isConstant(entropyRegulariser, 0);
}

/** The message for a γ that is out of range, or null if it is valid. */
export function gammaProblem(gamma: Schedule): string | null {
  const { from, to } = typeof gamma === "number" ? { from: gamma, to: gamma } : gamma;
  const endsAtOne = typeof gamma !== "number" && to === 1;
  if (from > 0 && from < 1 && to > 0 && (to < 1 || endsAtOne)) return null;
  return `must be above 0 and below 1, except that a schedule may end at 1, got ${typeof gamma === "number" ? gamma : `${from} to ${to}`}`;
}

/** The reason why this use of the ratio does not work with the other settings, or null if it does. */
export function useProblem(settings: EntropySettings & Pick<Settings, "balance" | "loss">): string | null {
  const { entropyRatio: use, entropyEstimator: estimator, balance, loss } = settings;
  const perState = use === "potential" || use === "margin";
  if (perState && estimator === "quantile") {
    return `${use} needs a ratio per state, but the estimator quantile gives one per batch; use state or clamp`;
  }
  if (use === "potential" && (balance === "tb" || balance === "vargrad")) {
    return `potential has no effect with ${balance}, because it cancels over a whole trajectory; use db, fl-db or subtb`;
  }
  if (use === "potential" && loss === "kl-literal") {
    return "potential changes flows, but kl-literal has none; use margin";
  }
  if (use === "behaviour" && usesEntropyRegulariser(settings)) {
    return "behaviour leaves no on-policy trajectories, but `entropyRegulariser` counts only those; use one of them";
  }
  return null;
}
