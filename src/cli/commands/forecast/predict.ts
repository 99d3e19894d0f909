// `gflownet forecast predict`: forecasts with a saved model, or with models that are fitted first.

import { stat } from "node:fs/promises";
import { writeFileAtomically } from "../../../disk/atomic-file.ts";
import type { PredictiveDistribution } from "../../../forecast/baselines/index.ts";
import type { PanelFile } from "../../../forecast/data/panel-file.ts";
import { checkHorizon, selectSeries } from "../../../forecast/data/usable-panel.ts";
import { withFloor } from "../../../forecast/floor.ts";
import { SCENARIO_LABEL } from "../../../forecast/forecast-folder.ts";
import {
  checkLearnedSettings,
  checkPredictiveDistribution,
  type ForecasterSpec,
  forecastersByName,
  isLearned,
} from "../../../forecast/forecasters/forecaster-by-name.ts";
import { TOKEN_MODEL, TOKEN_MODEL_LABEL } from "../../../forecast/forecasters/forecaster-names.ts";
import { fittedForecaster } from "../../../forecast/model/forecaster.ts";
import type { ForecastModel } from "../../../forecast/model/train.ts";
import { readModelData } from "../../../forecast/model-data.ts";
import { readModelFolder } from "../../../forecast/model-folder.ts";
import { forecastPage } from "../../../forecast/report/forecast-page.ts";
import {
  type ForecastColumns,
  forecastColumnNames,
  forecastRows,
  type ModelForecasts,
  pathColumnNames,
  pathRows,
  requestedQuantiles,
} from "../../../forecast/report/forecast-table.ts";
import {
  eventTable,
  infillTable,
  type ScenarioTable,
  scenarioForecaster,
  scenarioNote,
} from "../../../forecast/report/scenario-tables.ts";
import { eventProbabilities } from "../../../forecast/scenario/event.ts";
import type { ScenarioReport } from "../../../forecast/scenario/scenario.ts";
import type { Forecaster, ForecastRequest, Panel } from "../../../forecast/types.ts";
import { csvLines, formatCsv } from "../../../formats/csv.ts";
import { commandLine } from "../../command-name.ts";
import { printJson, write } from "../../output.ts";
import { ProgressLine } from "../../progress-line.ts";
import {
  checkNewFolder,
  type DataCommand,
  horizonOf,
  readUsableData,
  withReadProgress,
} from "./command-data.ts";
import { dataOptions } from "./data-flags.ts";
import { modelSettings } from "./model-flags.ts";
import { checkOutputFiles } from "./output-files.ts";
import { showTraining } from "./progress.ts";
import { provenanceOf } from "./provenance.ts";
import { flagError, print, printNotes, runCommand } from "./run-command.ts";
import {
  changesPaths,
  checkScenarioFlags,
  fineTuningOptions,
  givenScenarioFlag,
  type ScenarioFlags,
} from "./scenario-flags.ts";
import { writeForecastFolder } from "./write-forecast-folder.ts";

export interface PredictCommand extends DataCommand, ScenarioFlags {
  readonly horizon?: number;
  readonly data?: string;
  readonly models?: readonly ForecasterSpec[];
  readonly predictiveDistribution?: PredictiveDistribution;
  /** Names of the series to forecast. */
  readonly series?: readonly string[];
  readonly levels?: readonly number[];
  readonly quantiles?: readonly number[];
  readonly samples?: number;
  readonly seed?: number;
  readonly paths?: string;
  readonly report?: string;
}

/** Forecasters and the data they forecast from. */
interface Prepared {
  readonly file: PanelFile;
  readonly panel: Panel;
  readonly horizon: number;
  readonly forecasters: readonly Forecaster[];
  readonly seed: number;
  /** The model of a model folder. */
  readonly model?: ForecastModel;
  /** Filled by the forecasters: how reliable the paths of a scenario are, one report per series. */
  readonly reports: readonly ScenarioReport[];
}

export async function predict(source: string | undefined, command: PredictCommand): Promise<void> {
  await runCommand(async (signal) => {
    const folder = outputFolder(command);
    if (folder !== undefined) await checkNewFolder(folder, "forecast");
    const isFolder = source !== undefined && (await stat(source).catch(() => null))?.isDirectory();
    // If rows go to stdout, progress goes to stderr.
    const screen = command.out === undefined ? process.stderr : process.stdout;
    const progress = new ProgressLine(command.json || command.quiet ? undefined : screen);
    const prepared = isFolder
      ? await fromFolder(source, command, signal)
      : await fromFile(source, command, progress, signal);
    const { file, panel, horizon, model, reports } = prepared;
    const { out, paths, report } = command;
    await checkOutputFiles({ ...(folder === undefined && { out }), paths, report }, file.path);
    const columns = forecastColumns(horizon, command);
    const selected = selectSeries(panel, command.series);
    if (model && command.infill) {
      // Gaps are filled in the original data, which may have been filled for the model.
      const withGaps = selectSeries(file.panel, command.series);
      const table = await infillTable(model, withGaps, columns, {
        ...{ samples: command.samples, particles: command.particles, signal },
        ...fineTuningOptions(command),
      });
      printNotes(command, table.notes);
      await writeTable(table, command);
      return;
    }
    const events =
      model && command.event !== undefined
        ? await eventProbabilities(model, selected, {
            ...{ ...scenarioOptions(command), event: command.event, horizon, signal },
          })
        : [];
    if (command.event !== undefined && folder === undefined) {
      await writeTable(eventTable(command.event, events), command);
      return;
    }
    const request = { horizon, quantiles: requestedQuantiles(columns), samples: command.samples, signal };
    const models = await forecastAll(prepared, selected, request, progress);
    if (folder === undefined) {
      const names = forecastColumnNames(models, selected, columns);
      await writeTable({ columns: names, rows: [...forecastRows(models, selected, columns)] }, command);
    } else {
      const { constraint, temperature, noise, event, target } = command;
      const scenario = { constraint, temperature, noise, event, target };
      const record = { data: file.name, seed: prepared.seed, scenario, reports, events };
      await writeForecastFolder(folder, { record, models, panel: selected, columns }, command);
    }
    if (paths !== undefined) {
      await writeFileAtomically(
        paths,
        formatCsv(pathColumnNames(models), pathRows(models, selected, columns)),
      );
    }
    if (report !== undefined) {
      const provenance = provenanceOf(file, { horizon, seed: prepared.seed });
      const page = forecastPage(models, selected, columns, { name: file.name, provenance });
      await writeFileAtomically(report, page);
      if (out !== undefined) print(command, `Report, to open in a browser: ${report}`);
    }
  });
}

/** Prepares a saved model. */
async function fromFolder(folder: string, command: PredictCommand, signal: AbortSignal): Promise<Prepared> {
  const { samples: _, seed, ...settings } = modelSettings(command);
  const fixed = Object.keys({ ...settings, ...dataOptions(command) });
  if (fixed.length > 0 || command.models || command.demo) {
    throw flagError(
      fixed[0] ?? (command.models ? "models" : "demo"),
      `cannot be changed for ${folder}, a fitted model; only --horizon, --data, --samples, --seed, scenarios and outputs can`,
    );
  }
  if (command.predictiveDistribution !== undefined) {
    throw flagError("predictiveDistribution", `applies to baselines only, got the model ${folder}`);
  }
  checkScenarioFlags(command);
  const { manifest, model: saved } = await readModelFolder(folder);
  checkModelOptions(saved, command);
  const horizon = command.horizon ?? saved.shape.horizon;
  const { file, panel, notes } = await withReadProgress(command, signal, (control) =>
    readModelData(saved, manifest, { path: command.data, horizon, folder }, control),
  );
  printNotes(command, notes);
  const model: ForecastModel =
    seed === undefined ? saved : { ...saved, settings: { ...saved.settings, seed } };
  const unlimited = { name: TOKEN_MODEL_LABEL, fit: async () => fittedForecaster(model) };
  const plain = manifest.options.floor === "none" ? unlimited : withFloor(unlimited);
  const reports: ScenarioReport[] = [];
  const options = scenarioOptions(command);
  const isFolder = outputFolder(command) !== undefined;
  const scenario = scenarioForecaster(
    model,
    options,
    (made) => {
      reports.push(...made);
      printNotes(
        command,
        made.map((report) => scenarioNote(report, options)),
      );
    },
    isFolder ? SCENARIO_LABEL : TOKEN_MODEL_LABEL,
  );
  // A folder has the forecast without the scenario too, to compare with.
  const forecasters = changesPaths(command) ? [...(isFolder ? [plain] : []), scenario] : [plain];
  return { file, panel, horizon, forecasters, seed: model.settings.seed, model, reports };
}

/** Prepares forecasters that are fitted on a file. */
async function fromFile(
  path: string | undefined,
  command: PredictCommand,
  progress: ProgressLine,
  signal: AbortSignal,
): Promise<Prepared> {
  const folderFlag = command.data === undefined ? givenScenarioFlag(command) : "data";
  if (folderFlag) {
    throw flagError(
      folderFlag,
      `needs a model folder; create one with: ${commandLine("forecast", "fit", "FILE")}`,
    );
  }
  const models = command.models ?? [{ name: TOKEN_MODEL }];
  if (command.paths !== undefined && !models.some(isLearned)) {
    const names = models.map(({ name }) => name).join(", ");
    throw flagError("paths", `needs a model that samples paths, ${TOKEN_MODEL}, got ${names}`);
  }
  checkPredictiveDistribution(models, command.predictiveDistribution);
  const settings = modelSettings(command);
  await checkLearnedSettings(models, { horizon: command.horizon, settings });
  const { file, panel, options, notes } = await readUsableData(path, { ...command, out: undefined }, signal);
  const horizon = checkHorizon(horizonOf(command), panel);
  const forecasters = forecastersByName(models, {
    ...{ horizon, settings, fill: options.fill, floor: options.floor },
    predictiveDistribution: command.predictiveDistribution,
    onTrainingEvent: (name, event) => showTraining(progress, name, event),
  });
  printNotes(command, notes);
  return { file, panel, horizon, forecasters, seed: command.seed ?? 0, reports: [] };
}

/** Fits each forecaster on all series and forecasts the selected ones. */
async function forecastAll(
  { forecasters, panel }: Prepared,
  selected: Panel,
  request: ForecastRequest,
  progress: ProgressLine,
): Promise<ModelForecasts[]> {
  const models: ModelForecasts[] = [];
  try {
    for (const forecaster of forecasters) {
      const fitted = await forecaster.fit(panel, { signal: request.signal });
      models.push({ name: forecaster.name, forecasts: await fitted.predict(selected, request) });
    }
  } finally {
    progress.clear();
  }
  return models;
}

/** Writes rows to a file, as JSON lines, or as CSV to stdout. */
async function writeTable(
  { columns, rows }: Pick<ScenarioTable, "columns" | "rows">,
  command: PredictCommand,
): Promise<void> {
  const { out, json, quiet, infill } = command;
  if (out !== undefined) {
    const isJson = /\.json$/i.test(out);
    await writeFileAtomically(out, isJson ? `${JSON.stringify(rows, null, 1)}\n` : formatCsv(columns, rows));
    print(command, `Wrote the ${infill ? "filled gaps" : "forecast"} to ${out}.`);
  }
  if (json) for (const row of rows) printJson(row);
  else if (out === undefined && !quiet) for (const line of csvLines(columns, rows)) await write(line);
}

function scenarioOptions(command: PredictCommand) {
  const { constraint, temperature, noise, target } = command;
  return { constraint, temperature, noise, target, ...fineTuningOptions(command) };
}

/** Intervals of 80 and 95 percent, if neither levels nor quantiles are given. */
function forecastColumns(horizon: number, { levels, quantiles }: PredictCommand): ForecastColumns {
  return { horizon, levels: levels ?? (quantiles ? [] : [80, 95]), quantiles: quantiles ?? [] };
}

/** The folder that `--out` names; undefined if it names a file, or nothing. */
function outputFolder({ out, infill }: PredictCommand): string | undefined {
  if (out === undefined || /\.(csv|json)$/i.test(out)) return undefined;
  const got = `got ${JSON.stringify(out)}`;
  if (infill) throw flagError("out", `must end in .csv or .json with --infill, ${got}`);
  // A name with another ending is meant to be a file.
  if (/\.[a-z0-9]{1,8}$/i.test(out)) {
    throw flagError("out", `must be a file that ends in .csv or .json, or a folder, ${got}`);
  }
  return out;
}

/** Throws if the horizon or the target is not one that the model was fitted for. */
function checkModelOptions(
  { shape, features }: ForecastModel,
  { horizon = 1, target }: PredictCommand,
): void {
  if (horizon > shape.horizon) {
    throw flagError("horizon", `must be at most ${shape.horizon}, the horizon of the model, got ${horizon}`);
  }
  if (target === undefined || features.targets.includes(target)) return;
  throw flagError("target", `must be one of ${features.targets.join(", ")}, got ${JSON.stringify(target)}`);
}
