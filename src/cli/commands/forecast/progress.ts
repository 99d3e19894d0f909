// The progress of training a forecasting model, as the text of a progress line.

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
