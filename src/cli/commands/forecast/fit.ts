// `gflownet forecast fit`: trains a model on a file and writes a model folder.

import { resolve } from "node:path";
import { checkHorizon } from "../../../forecast/data/usable-panel.ts";
import { TOKEN_MODEL_LABEL } from "../../../forecast/forecasters/forecaster-names.ts";
import { fillPanelGaps } from "../../../forecast/gap-filling.ts";
import { checkForecastSettings, type ForecastSettings } from "../../../forecast/model/settings.ts";
import {
  type ForecastModel,
  type ForecastTrainingEvent,
  trainForecastModel,
} from "../../../forecast/model/train.ts";
import { MODEL_FILES, writeModelFolder } from "../../../forecast/model-folder.ts";
import { dataSummary, horizonSummary } from "../../../forecast/report/data-summary.ts";
import type { Panel } from "../../../forecast/types.ts";
import { formatCount, formatCountOf, formatDuration, formatNumber } from "../../../report/text-format.ts";
import { nextRunFolder } from "../../../run/new-folder.ts";
import { commandLine } from "../../command-name.ts";
import { printJson } from "../../output.ts";
import { shellPath, shortPath } from "../../paths.ts";
import { ProgressLine } from "../../progress-line.ts";
import { readVersion } from "../../version.ts";
import { checkNewFolder, type DataCommand, horizonOf, readUsableData } from "./command-data.ts";
import { modelSettings } from "./model-flags.ts";
import { showTraining } from "./progress.ts";
import { print, printNotes, runCommand } from "./run-command.ts";

export interface FitCommand extends DataCommand {
  readonly horizon?: number;
}

export async function fit(path: string | undefined, command: FitCommand): Promise<void> {
  await runCommand(async (signal) => {
    await checkForecastSettings({ horizon: horizonOf(command) ?? 1, ...modelSettings(command) });
    await checkNewFolder(command.out, "model");
    const { file, panel, options, notes } = await readUsableData(path, command, signal);
    const horizon = checkHorizon(horizonOf(command), panel);
    printNotes(command, notes);
    print(command, `${dataSummary(file)}; forecasts of ${horizonSummary(horizon, panel)}.`);
    const { model, events } = await train(
      fillPanelGaps(panel, options.fill ?? "none"),
      { horizon, ...modelSettings(command) },
      command,
      signal,
    );
    const folder = command.out ?? (await nextRunFolder("models", file.name));
    const manifest = { name: file.name, data: command.demo ? null : resolve(file.path), options };
    await writeModelFolder(folder, manifest, model, { events, packageVersion: readVersion() });
    const { iterations, bestIteration, validationLoss, trainingWindows } = model.trained;
    if (command.json) printJson({ kind: "end", model: resolve(folder), ...model.trained });
    const validation =
      validationLoss === null ? "" : ` (validation loss ${formatNumber(validationLoss)} nats per step)`;
    print(
      command,
      `Trained on ${formatCountOf(trainingWindows, "window")} for ${formatCountOf(iterations, "iteration")} in ` +
        `${formatDuration(events.at(-1)?.seconds ?? 0)}; the best was iteration ${formatCount(bestIteration)}${validation}.`,
    );
    const { encoder, paths } = MODEL_FILES;
    print(command, `The model is in ${shortPath(folder)}, with its networks as ${encoder} and ${paths}.`);
    const predict = commandLine("forecast", "predict", shellPath(folder), "--out", "forecast.csv");
    print(command, `Forecast with: ${predict}`);
  });
}

/** Trains a model and collects its events. */
async function train(
  panel: Panel,
  settings: ForecastSettings,
  { json, quiet }: FitCommand,
  signal: AbortSignal,
): Promise<{ readonly model: ForecastModel; readonly events: readonly ForecastTrainingEvent[] }> {
  const progress = new ProgressLine(json || quiet ? undefined : process.stdout);
  const training = trainForecastModel(panel, settings, { signal });
  const events: ForecastTrainingEvent[] = [];
  try {
    for (;;) {
      const { done, value } = await training.next();
      if (done) return { model: value, events };
      events.push(value);
      showTraining(progress, TOKEN_MODEL_LABEL, value);
      if (json) printJson({ kind: "training", ...value });
    }
  } finally {
    progress.clear();
  }
}
