// The progress of reading data and of training a forecasting model, as the text of a progress line.

import type { ReadProgress } from "../../../forecast/data/read-progress.ts";
import type { ForecastTrainingEvent } from "../../../forecast/model/train.ts";
import { formatCount, formatDuration, formatNumber } from "../../../report/text-format.ts";
import type { ProgressLine } from "../../progress-line.ts";

/** Shows the state of training after a validation. */
export function showTraining(progress: ProgressLine, model: string, event: ForecastTrainingEvent): void {
  const { iteration, iterations, loss, validationLoss, seconds, iterationsLeft } = event;
  const parts = [
    model,
    `${formatCount(iteration)}/${formatCount(iterations)}`,
    `loss ${formatNumber(loss)}`,
    ...(validationLoss === null ? [] : [`validation ${formatNumber(validationLoss)}`]),
    `at most ${formatDuration((seconds * iterationsLeft) / iteration)} left`,
  ];
  progress.show(parts.join("  "), iteration / (iteration + iterationsLeft));
}

/** Shares of the whole work at which the phases of reading begin. */
const READING_PHASES = { counting: 0, checking: 0.2, reading: 0.5 } as const;

/** Shows the state of reading a file. Most files are read within a second, so nothing is shown before. */
export function showReading(progress: ProgressLine, { phase, rows, total, seconds }: ReadProgress): void {
  if (seconds < 1) return;
  const count =
    phase === "reading" ? `${formatCount(rows)} of ${formatCount(total ?? rows)}` : formatCount(rows);
  const begun = READING_PHASES[phase];
  const done = phase === "reading" ? (1 - begun) * (rows / (total || 1)) : 0;
  progress.show(`${phase} ${count} rows  ${formatDuration(seconds)}`, begun + done);
}
