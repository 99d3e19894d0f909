// The probability of an event: Z of the paths with the event divided by Z of all paths. Counting among paths of the model
// fails for rare events: with p = 1e-4 one path in ten thousand has the event. A proposal that is fine-tuned for the event
// samples mostly paths that have it.

import { throwIssues } from "../../issues.ts";
import type { ForecastModel } from "../model/train.ts";
import type { Panel } from "../types.ts";
import { conditionIssues, joinConditions, parseCondition } from "./condition.ts";
import { modelPathDistribution } from "./model-path-distribution.ts";
import { type PathRequest, type SampledPaths, type SamplingOptions, samplePaths } from "./sample-paths.ts";
import { checkedScenarioOptions, engineOptionsOf, type ScenarioOptions } from "./scenario.ts";

/** Events have no noise option, because the probability of an event is a property of the model, not of plans. */
export interface EventOptions extends Omit<ScenarioOptions, "quantiles" | "samples" | "noise"> {
  /**
   * The event as a condition, such as "max >= 50". With a `constraint`, the result is the conditional probability of
   * the event, given the constraint.
   */
  readonly event: string;
}

/** The probability of an event for one series. */
export interface EventProbability {
  readonly id: string;
  readonly probability: number;
  readonly standardError: number;
  /** Effective sample size of the weighted paths that have the event. */
  readonly effectiveSampleSize: number;
  /**
   * The probability estimated by counting among the same number of paths of the model; NaN with a constraint or a
   * temperature other than 1.
   */
  readonly counted: { readonly probability: number; readonly standardError: number };
  /** Logarithm of the probability according to the learned flows of the proposal; NaN without fine-tuning. */
  readonly learnedLogProbability: number;
}

/** Estimates the probability of an event for each series. */
export async function eventProbabilities(
  model: ForecastModel,
  panel: Panel,
  options: EventOptions,
): Promise<readonly EventProbability[]> {
  const { horizon, target, condition, beta } = checkedScenarioOptions(model, options);
  const { distribution, contexts } = modelPathDistribution(model);
  const steps = horizon * model.features.targets.length;
  const request = { distribution, contexts: await contexts(panel.series), steps, beta, condition, target };
  const { seed = model.settings.seed } = options;
  return eventProbabilitiesOf(request, options.event, { ...engineOptionsOf(model), ...options, seed });
}

/** Estimates the probability of an event under any path distribution, for each context. */
export async function eventProbabilitiesOf(
  request: Omit<PathRequest, "noise">,
  event: string,
  options: SamplingOptions = {},
): Promise<EventProbability[]> {
  const { distribution, steps, beta = 1, condition = null } = request;
  const eventCondition = parseCondition(event, "event");
  throwIssues(conditionIssues(eventCondition, steps / distribution.targets, "event"));
  const withEvent = await samplePaths(
    { ...request, condition: joinConditions(condition, eventCondition) },
    options,
  );
  // The base distribution has Z = 1 exactly.
  const isBase = beta === 1 && !condition;
  // A different seed makes the errors of the two estimates independent, as their sum in quadrature assumes.
  const all = isBase ? null : await samplePaths(request, { ...options, seed: (options.seed ?? 0) + 1 });
  return withEvent.map((sampled, i) => probabilityOf(sampled, all?.[i] ?? null));
}

function probabilityOf(event: SampledPaths, all: SampledPaths | null): EventProbability {
  // The estimate of Z may exceed 1, a probability may not.
  const probability = Math.min(1, Math.exp(event.report.logZ - (all?.report.logZ ?? 0)));
  const relativeError = Math.hypot(event.report.relativeError, all?.report.relativeError ?? 0);
  const counted = event.baseReport.acceptance;
  const learned = event.learnedLogZ - (all?.learnedLogZ ?? 0);
  return {
    id: event.id,
    probability,
    // If no path has the event, its probability is at most about 1 / (number of paths).
    standardError: event.report.acceptance > 0 ? relativeError * probability : 1 / event.report.drawn,
    effectiveSampleSize: event.report.effectiveSampleSize,
    counted: all
      ? { probability: Number.NaN, standardError: Number.NaN }
      : {
          probability: counted,
          standardError: Math.sqrt((counted * (1 - counted)) / event.baseReport.drawn),
        },
    learnedLogProbability: event.fineTuned.iterations > 0 ? learned : Number.NaN,
  };
}
