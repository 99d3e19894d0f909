// `gflownet forecast predict`: forecasts of a saved model, or of models learned on the spot.

import { stat } from "node:fs/promises";
import { filledPanel } from "../../../forecast/filled.ts";
import { type ForecastModel, fitted } from "../../../forecast/model/index.ts";
import type { Forecaster, ForecastRequest, Panel } from "../../../forecast/types.ts";
import { forecastReport } from "../../../report/forecast-report.ts";
import { htmlPage } from "../../../report/page.ts";
import { writeFileAtomically } from "../../../run/atomic-file.ts";
import { UsageError } from "../../fail.ts";
import { printJson, write } from "../../output.ts";
import { partsOf } from "./check.ts";
import { contestantOf, isLearned } from "./contestants.ts";
import { csvLines, csvText } from "./csv.ts";
import { dataFlagsOf } from "./data-flags.ts";
import {
  type Asked,
  askedQuantiles,
  fansOf,
  forecastColumns,
  forecastRows,
  type ModelForecasts,
  PATH_COLUMNS,
  pathRows,
} from "./forecast-rows.ts";
import { ALL_MODELS, modelSettingsOf, type TypedModel } from "./model-flags.ts";
import { readModelFolder } from "./model-folder.ts";
import { Progress } from "./progress.ts";
import {
  checkHorizon,
  DEMO,
  dataText,
  horizonText,
  observedPart,
  readSource,
  type Source,
} from "./source.ts";
import { surprises } from "./surprises.ts";
import { workOf } from "./work.ts";
import { type Printing, remark, say, working } from "./working.ts";

export interface PredictCommand extends Printing {
  readonly demo?: boolean;
  readonly horizon?: number;
  readonly data?: string;
  readonly models?: readonly TypedModel[];
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
}

/** Series that are taken apart on the page. */
const TAKEN_APART = 6;

export async function predict(typed: string | undefined, command: PredictCommand): Promise<void> {
  await working(async (signal) => {
    checkOut(command.out);
    const folder = typed !== undefined && (await stat(typed).catch(() => null))?.isDirectory();
    // Rows that go to the screen leave no room for other words.
    const screen = command.out === undefined ? process.stderr : process.stdout;
    const progress = new Progress(command.json || command.quiet ? undefined : screen);
    const { source, panel, horizon, forecasters, seed } = folder
      ? await fromFolder(typed, command)
      : await fromFile(typed, command, progress);
    const asked = askedOf(horizon, command);
    const request = { horizon, quantiles: askedQuantiles(asked), samples: command.samples, signal };
    const models = await forecastsOf(forecasters, panel, request, progress);
    await writeRows(models, panel, asked, command);
    if (command.paths !== undefined) {
      await writeFileAtomically(command.paths, csvText(PATH_COLUMNS, pathRows(models, panel, asked)));
    }
    if (command.report !== undefined) {
      await writeFileAtomically(command.report, pageOf(models, { source, panel, asked, seed }));
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
  const { manifest, model } = await readModelFolder(folder);
  const path = command.data ?? manifest.data ?? undefined;
  const source = await readSource(path, manifest.flags, path === undefined).catch((error: unknown) => {
    if (command.data !== undefined || !(error instanceof Error)) throw error;
    throw new UsageError(`${error.message}; ${folder} was fitted on it, and --data names others`, {
      cause: error,
    });
  });
  const { panel, notes } = observedPart(source.panel);
  checkTargets(model, panel, source.path);
  remark(command, [...notes, ...surprises(model, panel)]);
  const seeded: ForecastModel =
    seed === undefined ? model : { ...model, settings: { ...model.settings, seed } };
  return {
    source,
    panel: filledPanel(panel, manifest.flags.fill ?? "none"),
    horizon: command.horizon ?? model.shape.horizon,
    forecasters: [{ name: "GFlowNet", fit: async () => fitted(seeded) }],
    seed: seeded.settings.seed,
  };
}

async function fromFile(
  file: string | undefined,
  command: PredictCommand,
  progress: Progress,
): Promise<Prepared> {
  if (command.data !== undefined)
    throw new UsageError("--data goes with the folder of a model; give one file");
  const flags = dataFlagsOf({ ...command });
  const source = await readSource(file, flags, command.demo);
  const { panel, notes } = observedPart(source.panel);
  remark(command, notes);
  const horizon = checkHorizon(command.horizon ?? (command.demo ? DEMO.horizon : undefined), panel);
  const settings = modelSettingsOf({ ...command });
  const models = command.models ?? ALL_MODELS.filter(isLearned);
  const forecasters = models.map((model) =>
    contestantOf(model, {
      ...{ horizon, settings, fill: flags.fill },
      onEvent: (name, event) => progress.training(name, event),
    }),
  );
  return { source, panel, horizon, forecasters, seed: command.seed ?? 0 };
}

async function forecastsOf(
  forecasters: readonly Forecaster[],
  panel: Panel,
  request: ForecastRequest,
  progress: Progress,
): Promise<ModelForecasts[]> {
  const models: ModelForecasts[] = [];
  try {
    for (const forecaster of forecasters) {
      const learned = await forecaster.fit(panel, { signal: request.signal });
      models.push({ name: forecaster.name, forecasts: await learned.predict(panel, request) });
    }
  } finally {
    progress.clear();
  }
  return models;
}

async function writeRows(
  models: readonly ModelForecasts[],
  panel: Panel,
  asked: Asked,
  command: PredictCommand,
): Promise<void> {
  const names = models.map(({ name }) => name);
  const columns = forecastColumns(names, panel, asked);
  if (command.out !== undefined) {
    const text = /\.json$/i.test(command.out)
      ? `${JSON.stringify([...forecastRows(models, panel, asked)], null, 1)}\n`
      : csvText(columns, forecastRows(models, panel, asked));
    await writeFileAtomically(command.out, text);
    say(command, `The forecast is in ${command.out}.`);
  }
  if (command.json) for (const row of forecastRows(models, panel, asked)) printJson(row);
  else if (command.out === undefined && !command.quiet) {
    for (const line of csvLines(columns, forecastRows(models, panel, asked))) await write(line);
  }
}

function pageOf(
  models: readonly ModelForecasts[],
  about: {
    readonly source: Source;
    readonly panel: Panel;
    readonly asked: Asked;
    readonly seed: number;
  },
): string {
  const { source, panel, asked, seed } = about;
  const work = workOf({ data: dataText(source), horizon: horizonText(asked.horizon, panel), seed });
  const decompositions = panel.series.slice(0, TAKEN_APART).flatMap((series) =>
    partsOf(panel, series).map(({ target, values, parts }) => ({
      title: panel.targets.length > 1 ? `Parts of ${series.id}, ${target}` : `Parts of ${series.id}`,
      value: { label: target },
      ...{ times: series.times, observed: values, notes: parts.notes.map((note) => `${note}.`) },
      parts: [
        { name: "trend", values: parts.trend },
        ...parts.seasons.map(({ season, values }) => ({ name: `season of ${season}`, values })),
        { name: "what is left", values: parts.residual },
      ],
    })),
  );
  return htmlPage(
    forecastReport({ name: source.name, work, fans: fansOf(models, panel, asked), decompositions }),
  );
}

/** 80 and 95 percent unless something else is asked for. */
function askedOf(horizon: number, { level, quantiles }: PredictCommand): Asked {
  return { horizon, levels: level ?? (quantiles ? [] : [80, 95]), quantiles: quantiles ?? [] };
}

function checkOut(out: string | undefined): void {
  if (out === undefined || /\.(csv|json)$/i.test(out)) return;
  throw new UsageError(`--out must end in .csv or .json, got ${JSON.stringify(out)}`);
}

function checkTargets({ features }: ForecastModel, { targets }: Panel, path: string): void {
  if (features.targets.join() === targets.join()) return;
  throw new UsageError(
    `${path} must have the targets ${features.targets.join(", ")} of the model, got ${targets.join(", ")}`,
  );
}
