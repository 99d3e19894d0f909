// How likely an event is: Z of the paths with the event over Z of all paths. Rare events are where plain drawing fails:
// of p = 1e-4 it sees one in ten thousand paths; a policy that was tuned for the event sees mostly such.

import type { ForecastModel } from "../model/likelihood.ts";
import type { Panel } from "../types.ts";
import { bothConditions, parseCondition } from "./condition.ts";
import { modelLaw } from "./model-law.ts";
import { type Asked, type Sampled, type SamplingOptions, samplePaths } from "./sampling.ts";
import { checkedOptions, enginesOf, type ScenarioOptions } from "./scenario.ts";

/** Without noise: how likely an event is, is a matter of the model, not of plans. */
export interface EventOptions extends Omit<ScenarioOptions, "quantiles" | "samples" | "noise"> {
  /** What may happen: "max >= 50". With a `constraint`, its probability given that. */
  readonly event: string;
}

/** The probability of an event for one series. */
export interface EventChance {
  readonly id: string;
  readonly probability: number;
  readonly standardError: number;
  /** So many plain draws with the event are the weighted ones worth. */
  readonly effective: number;
  /** By counting among as many plain draws; NaN where the paths asked for cannot be drawn plainly. */
  readonly plain: { readonly probability: number; readonly standardError: number };
  /** log of the learned Z of the event over that of all paths; NaN if nothing was tuned. */
  readonly learnedLog: number;
}

/** One per series. */
export async function eventProbabilities(
  model: ForecastModel,
  panel: Panel,
  options: EventOptions,
): Promise<readonly EventChance[]> {
  const { horizon, target, condition, beta } = checkedOptions(model, options);
  const { law, contexts } = modelLaw(model);
  const steps = horizon * model.features.targets.length;
  const asked = { law, contexts: await contexts(panel.series), steps, beta, condition, target };
  const { seed = model.settings.seed } = options;
  return eventChances(asked, options.event, { ...enginesOf(model), ...options, seed });
}

/** Of any law. */
export async function eventChances(
  asked: Omit<Asked, "noise">,
  event: string,
  options: SamplingOptions = {},
): Promise<EventChance[]> {
  const { beta = 1, condition = null } = asked;
  const all = { ...asked, condition: bothConditions(condition, parseCondition(event)) };
  const withEvent = await samplePaths(all, options);
  // The law itself has Z = 1, without error.
  const simple = beta === 1 && !condition;
  // Errors of both must be independent, since they are added as such.
  const without = simple ? null : await samplePaths(asked, { ...options, seed: (options.seed ?? 0) + 1 });
  return withEvent.map((one, i) => chanceOf(one, without?.[i] ?? null));
}

function chanceOf(event: Sampled, all: Sampled | null): EventChance {
  // A mean weight may come out above 1, a probability may not.
  const probability = Math.min(1, Math.exp(event.report.logZ - (all?.report.logZ ?? 0)));
  const relative = Math.hypot(event.report.relativeError, all?.report.relativeError ?? 0);
  const counted = event.plain.acceptance;
  const learned = event.logFlow - (all?.logFlow ?? 0);
  return {
    id: event.id,
    probability,
    // Where no path had the event, all that is known is that it is about as rare as one in all.
    standardError: event.report.acceptance > 0 ? relative * probability : 1 / event.report.drawn,
    effective: event.report.effective,
    plain: all
      ? { probability: Number.NaN, standardError: Number.NaN }
      : {
          probability: counted,
          standardError: Math.sqrt((counted * (1 - counted)) / event.plain.drawn),
        },
    learnedLog: event.tuned.iterations > 0 ? learned : Number.NaN,
  };
}
