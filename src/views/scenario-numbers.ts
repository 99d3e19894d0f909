// What a scenario says about each series in numbers: probabilities with their errors, and how reliable the paths are.

import type { ForecastRecord } from "../forecast/forecast-folder.ts";

export interface ScenarioNumber {
  readonly label: string;
  readonly value: number | null;
  /** Standard error; null if there is none. */
  readonly error: number | null;
  /** Whether it answers the question; the others say how reliable the answer is. */
  readonly isProbability: boolean;
}

/** The numbers of one series; none without a scenario. */
export function scenarioNumbers(record: ForecastRecord, id: string): ScenarioNumber[] {
  const { constraint, temperature = 1, event } = record.scenario;
  const report = record.reports.find((each) => each.id === id);
  const found = record.events.find((each) => each.id === id);
  const number = (label: string, value: unknown, error: unknown = null): ScenarioNumber => ({
    ...{ label, value: finite(value), error: finite(error) },
    isProbability: /^(probability|counted)/.test(label),
  });
  const numbers: ScenarioNumber[] = [];
  if (found) {
    const given = constraint === undefined ? "" : `, given ${constraint}`;
    const { probability, standardError, counted } = found;
    numbers.push(number(`probability of ${event}${given}`, probability, standardError));
    if (finite(counted?.probability) !== null) {
      numbers.push(number("counted among plain samples", counted.probability, counted.standardError));
    }
    numbers.push(number("effective sample size of the event", found.effectiveSampleSize));
  }
  if (report) {
    const { logZ, relativeError, learnedLogZ, acceptance, effectiveSampleSize, drawn, realised } = report;
    const probability = Math.min(1, Math.exp(logZ));
    if (constraint !== undefined && temperature === 1) {
      numbers.push(number(`probability of ${constraint}`, probability, relativeError * probability));
    }
    if (constraint !== undefined) numbers.push(number("weighted paths that meet it", acceptance));
    numbers.push(number("weighted paths", drawn));
    numbers.push(number("their effective sample size", effectiveSampleSize));
    numbers.push(number("log Z, estimated", logZ, relativeError));
    if (finite(learnedLogZ) !== null) numbers.push(number("log Z, learned", learnedLogZ));
    if (realised) {
      if (constraint !== undefined) numbers.push(number("realised paths that meet it", realised.acceptance));
      numbers.push(number("KL(target ‖ realised paths), nats", realised.divergence));
    }
  }
  return numbers;
}

/** Files may come from anywhere. */
function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
