// `gflownet forecast predict`: forecasts of a saved model, or of models learned on the spot.

import { stat } from "node:fs/promises";
import type { Spread } from "../../../forecast/baselines/index.ts";
import { frequencyText, TableError } from "../../../forecast/data/index.ts";
import { filledPanel } from "../../../forecast/filled.ts";
import { type ForecastModel, fitted } from "../../../forecast/model/index.ts";
import type { Forecaster, ForecastRequest, Panel } from "../../../forecast/types.ts";
import { writeFileAtomically } from "../../../run/atomic-file.ts";
import { UsageError } from "../../fail.ts";
import { printJson, write } from "../../output.ts";
import { LEARNED } from "./choices.ts";
import { checkSpread, contestantOf, isLearned } from "./contestants.ts";
import { csvLines, csvText } from "./csv.ts";
import { type DataFlags, dataFlagsOf } from "./data-flags.ts";
import { forecastPage } from "./forecast-page.ts";
import {
  type Asked,
  askedQuantiles,
  forecastColumns,
  forecastRows,
  type ModelForecasts,
  pathColumns,
  pathRows,
} from "./forecast-rows.ts";
import { ALL_MODELS, modelSettingsOf, type TypedModel } from "./model-flags.ts";
import { readModelFolder } from "./model-folder.ts";
import { checkPlaces } from "./places.ts";
import { Progress } from "./progress.ts";
import {
  asksPaths,
  checkScenario,
  eventRows,
  infillRows,
  type Rows,
  type ScenarioFlags,
  scenarioForecaster,
  typedScenario,
} from "./scenario.ts";
import { checkHorizon, DEMO, observedPart, observedSource, readSource, type Source } from "./source.ts";
import { surprises } from "./surprises.ts";
import { type Printing, remark, say, working } from "./working.ts";

export interface PredictCommand extends Printing, ScenarioFlags {
  readonly demo?: boolean;
  readonly horizon?: number;
  readonly data?: string;
  readonly models?: readonly TypedModel[];
  readonly spread?: Spread;
  /** Names of those to forecast. */
  readonly series?: readonly string[];
  readonly level?: readonly number[];
  readonly quantiles?: readonly number[];
  readonly samples?: number;
  readonly seed?: number;
  readonly out?: string;
  readonly paths?: string;
  readonly report?: string;
}

/** What forecasts, and what it goes on from. */
interface Prepared {
  readonly source: Source;
  readonly panel: Panel;
  readonly horizon: number;
  readonly forecasters: readonly Forecaster[];
  readonly seed: number;
  /** Of a folder. */
  readonly model?: ForecastModel;
}

export async function predict(typed: string | undefined, command: PredictCommand): Promise<void> {
  await working(async (signal) => {
    checkOut(command.out);
    const folder = typed !== undefined && (await stat(typed).catch(() => null))?.isDirectory();
    // Rows that go to the screen leave no room for other words.
    const screen = command.out === undefined ? process.stderr : process.stdout;
    const progress = new Progress(command.json || command.quiet ? undefined : screen);
    const { source, panel, horizon, forecasters, seed, model } = folder
      ? await fromFolder(typed, command)
      : await fromFile(typed, command, progress);
    const { out, paths, report } = command;
    await checkPlaces({ "--out": out, "--paths": paths, "--report": report }, source.path);
    const asked = askedOf(horizon, command);
    const wanted = chosenSeries(panel, command.series);
    if (model && command.event !== undefined) {
      await writeTable(await eventRows(model, wanted, { horizon, flags: command, signal }), command);
      return;
    }
    if (model && command.infill) {
      const gaps = { asked, samples: command.samples, flags: command, signal };
      const { notes, ...rows } = await infillRows(model, chosenSeries(source.panel, command.series), gaps);
      remark(command, notes);
      await writeTable(rows, command);
      return;
    }
    const request = { horizon, quantiles: askedQuantiles(asked), samples: command.samples, signal };
    const models = await forecastsOf(forecasters, { panel, wanted }, request, progress);
    const columns = forecastColumns(models, wanted, asked);
    await writeTable({ columns, rows: [...forecastRows(models, wanted, asked)] }, command);
    if (command.paths !== undefined) {
      await writeFileAtomically(command.paths, csvText(pathColumns(models), pathRows(models, wanted, asked)));
    }
    if (command.report !== undefined) {
      await writeFileAtomically(command.report, forecastPage(models, { source, panel: wanted, asked, seed }));
      if (command.out !== undefined) say(command, `The report is ${command.report}; open it in a browser.`);
    }
  });
}

async function fromFolder(folder: string, command: PredictCommand): Promise<Prepared> {
  const { samples: _, seed, ...settings } = modelSettingsOf({ ...command });
  const told = Object.keys({ ...settings, ...dataFlagsOf({ ...command }) });
  if (told.length > 0 || command.models || command.demo) {
    throw new UsageError(
      `${folder} is a model that has its settings; give --horizon, --data, --samples, --seed and what to write, and no others`,
    );
  }
  if (command.spread !== undefined) {
    throw new UsageError(`--spread goes with baselines, and ${folder} is a model that has none beside it`);
  }
  checkScenario({ ...command });
  const { manifest, model } = await readModelFolder(folder);
  checkLearned(model, command);
  const path = command.data ?? manifest.data ?? undefined;
  const { flags, step } = flagsOf(manifest.flags, model);
  const source = await readSource(path, flags, path === undefined).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error;
    const message = error.message.replace(OTHER_STEP, `; ${folder} has learned steps of ${step}`);
    if (command.data !== undefined) throw error instanceof TableError ? new TableError(message) : error;
    throw new UsageError(`${message}; ${folder} was fitted on it, and --data names others`, {
      cause: error,
    });
  });
  const { panel, notes } = observedPart(source.panel);
  checkTargets(model, panel, source.path);
  const horizon = command.horizon ?? model.shape.horizon;
  remark(command, [...notes, ...surprises(model, panel, horizon)]);
  const seeded: ForecastModel =
    seed === undefined ? model : { ...model, settings: { ...model.settings, seed } };
  return {
    source,
    panel: filledPanel(panel, manifest.flags.fill ?? "none"),
    horizon,
    forecasters: [
      asksPaths(command)
        ? scenarioForecaster(seeded, command, (reports) => remark(command, reports))
        : { name: "GFlowNet", fit: async () => fitted(seeded) },
    ],
    seed: seeded.settings.seed,
    model: seeded,
  };
}

/** What a data module advises where steps do not fit; those of a model cannot be chosen any more. */
const OTHER_STEP =
  /; (leave the frequency out, or resample|set timeUnit to s or ms if they count time since 1970)$/;

/** How data are read for a model: in its own steps, whatever others new data might be taken for. */
function flagsOf(flags: DataFlags, { features: { frequency } }: ForecastModel) {
  const step = frequency === null ? "irregular" : frequencyText(frequency);
  return { flags: flags.resample === undefined ? { ...flags, freq: step } : flags, step };
}

async function fromFile(
  file: string | undefined,
  command: PredictCommand,
  progress: Progress,
): Promise<Prepared> {
  const scenario = command.data === undefined ? typedScenario(command) : "--data";
  if (scenario) throw new UsageError(`${scenario} goes with a folder that gflownet forecast fit has made`);
  const models = command.models ?? ALL_MODELS.filter(isLearned);
  if (command.paths !== undefined && !models.some(isLearned)) {
    const names = models.map(({ text }) => text).join(", ");
    throw new UsageError(`--paths goes with a model that draws paths, which is ${LEARNED}, got ${names}`);
  }
  checkSpread(models, command.spread);
  const { flags, source, panel, notes } = await observedSource(file, command);
  const horizon = checkHorizon(command.horizon ?? (command.demo ? DEMO.horizon : undefined), panel);
  remark(command, notes);
  const settings = modelSettingsOf({ ...command });
  const forecasters = models.map((model) =>
    contestantOf(model, {
      ...{ horizon, settings, spread: command.spread, fill: flags.fill },
      onEvent: (name, event) => progress.training(name, event),
    }),
  );
  const names = forecasters.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`--models must have each model once, got ${twice} twice`);
  return { source, panel, horizon, forecasters, seed: command.seed ?? 0 };
}

async function forecastsOf(
  forecasters: readonly Forecaster[],
  { panel, wanted }: { readonly panel: Panel; readonly wanted: Panel },
  request: ForecastRequest,
  progress: Progress,
): Promise<ModelForecasts[]> {
  const models: ModelForecasts[] = [];
  try {
    for (const forecaster of forecasters) {
      const learned = await forecaster.fit(panel, { signal: request.signal });
      models.push({ name: forecaster.name, forecasts: await learned.predict(wanted, request) });
    }
  } finally {
    progress.clear();
  }
  return models;
}

/** To a file, to the screen, or as JSON. */
async function writeTable({ columns, rows }: Rows, command: PredictCommand): Promise<void> {
  if (command.out !== undefined) {
    const isJson = /\.json$/i.test(command.out);
    await writeFileAtomically(
      command.out,
      isJson ? `${JSON.stringify(rows, null, 1)}\n` : csvText(columns, rows),
    );
    say(command, `${command.infill ? "What may stand in the gaps" : "The forecast"} is in ${command.out}.`);
  }
  if (command.json) for (const row of rows) printJson(row);
  else if (command.out === undefined && !command.quiet) {
    for (const line of csvLines(columns, rows)) await write(line);
  }
}

/** 80 and 95 percent unless something else is asked for. */
function askedOf(horizon: number, { level, quantiles }: PredictCommand): Asked {
  return { horizon, levels: level ?? (quantiles ? [] : [80, 95]), quantiles: quantiles ?? [] };
}

/** Those series of a panel that were asked for; all unless told. */
function chosenSeries(panel: Panel, ids: readonly string[] | undefined): Panel {
  if (ids === undefined) return panel;
  const unknown = ids.find((id) => !panel.series.some((one) => one.id === id));
  if (unknown !== undefined) {
    const names = panel.series.slice(0, 12).map(({ id }) => id);
    throw new UsageError(`--series: there is no ${JSON.stringify(unknown)}; there are ${names.join(", ")}`);
  }
  return { ...panel, series: panel.series.filter(({ id }) => ids.includes(id)) };
}

function checkOut(out: string | undefined): void {
  if (out === undefined || /\.(csv|json)$/i.test(out)) return;
  throw new UsageError(`--out must end in .csv or .json, got ${JSON.stringify(out)}`);
}

/** Refuses what the model has not learned, by the flags that ask for it. */
function checkLearned(
  { shape, features: { targets } }: ForecastModel,
  { horizon = 1, of }: PredictCommand,
): void {
  if (horizon > shape.horizon) {
    throw new UsageError(
      `--horizon must be a whole number from 1 to ${shape.horizon}, which was learned, got ${horizon}`,
    );
  }
  if (of !== undefined && !targets.includes(of)) {
    throw new UsageError(`--of must be one of ${targets.join(", ")}, got ${JSON.stringify(of)}`);
  }
}

function checkTargets({ features }: ForecastModel, { targets }: Panel, path: string): void {
  if (features.targets.join() === targets.join()) return;
  throw new UsageError(
    `${path} must have the targets ${features.targets.join(", ")} of the model, got ${targets.join(", ")}`,
  );
}
