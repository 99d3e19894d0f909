// The views that explain a run, a design, a backtest or a forecast: which ones a folder has, and their data.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DESIGN_FILES } from "../design/design-folder.ts";
import { openIfExists, readText } from "../disk/open-file.ts";
import { RunError } from "../disk/run-error.ts";
import { ModelFileError } from "../engine/index.ts";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { FORECAST_FILES } from "../forecast/forecast-folder.ts";
import { learnsDynamics, type Objective } from "../gfn/objectives/objective.ts";
import { UserError } from "../issues.ts";
import { RUN_FILES } from "../run/run-files.ts";
import { runInside } from "../run/run-folder.ts";
import { attentionView } from "./attention-view.ts";
import { calibrationView } from "./calibration-view.ts";
import { candidatesView } from "./candidates-view.ts";
import { distributionView } from "./distribution-view.ts";
import { dynamicsView } from "./dynamics-view.ts";
import { entropyView } from "./entropy-view.ts";
import { flowView } from "./flow-view.ts";
import { forecastView } from "./forecast-view.ts";
import { gridView } from "./grid-view.ts";
import { logoView } from "./logo-view.ts";
import { modesView } from "./modes-view.ts";
import { closeRuns, type OpenedRun, openedRun } from "./opened-run.ts";
import type { EntryKind } from "./page-data.ts";
import { residualsView } from "./residuals-view.ts";
import { scenarioView } from "./scenario-view.ts";
import { taskStructure } from "./task-structure.ts";
import { trajectoriesView } from "./trajectories-view.ts";
import type { ViewData, ViewName, ViewOptions } from "./view-data.ts";

type Compute = (folder: string, options: ViewOptions) => Promise<ViewData>;

/** A view of the checkpoint of a run. */
const ofRun =
  (compute: (run: OpenedRun, options: ViewOptions) => Promise<ViewData>): Compute =>
  async (folder, options) =>
    compute(await openedRun(folder), options);

const VIEWS: Readonly<Record<ViewName, Compute>> = {
  distribution: ofRun(distributionView),
  flow: ofRun(flowView),
  dynamics: ofRun(dynamicsView),
  logo: ofRun(logoView),
  grid: ofRun(gridView),
  entropy: ofRun(entropyView),
  residuals: async (folder) => residualsView(await runInside(folder)),
  attention: ofRun(attentionView),
  modes: modesView,
  trajectories: ofRun(trajectoriesView),
  candidates: candidatesView,
  forecast: forecastView,
  scenario: scenarioView,
  calibration: calibrationView,
};

let last: Promise<unknown> = Promise.resolve();

/**
 * The data of a view. `folder` is the absolute path of a run, a design or a backtest. Views are computed one after the
 * other. Throws a UserError, whose message is one sentence, if the folder does not have the view or cannot be read.
 */
export function viewData(folder: string, view: ViewName, options: ViewOptions = {}): Promise<ViewData> {
  const result = last.then(() => computed(folder, view, options));
  last = result.catch(() => {});
  return result;
}

/** Frees what `viewData` keeps for the next view: compiled programs and tables. */
export async function closeViews(): Promise<void> {
  await last;
  await closeRuns();
}

async function computed(folder: string, view: ViewName, options: ViewOptions): Promise<ViewData> {
  if (!Object.hasOwn(VIEWS, view)) {
    throw new UserError(`view: must be one of ${Object.keys(VIEWS).join(", ")}, got ${JSON.stringify(view)}`);
  }
  checkOptions(options);
  try {
    return await VIEWS[view](folder, options);
  } catch (error) {
    if (error instanceof RunError || error instanceof ModelFileError) {
      throw new UserError(error.message, { cause: error });
    }
    throw error;
  }
}

/** Options may come from anywhere. */
function checkOptions({ path, levels, seed, series }: ViewOptions): void {
  const isWhole = (value: unknown, least: number) => Number.isSafeInteger(value) && Number(value) >= least;
  if (path !== undefined && !(Array.isArray(path) && path.every((outcome) => isWhole(outcome, -1)))) {
    throw new UserError(`path: must be a list of outcomes, got ${JSON.stringify(path)}`);
  }
  if (levels !== undefined && !isWhole(levels, 1)) {
    throw new UserError(`levels: must be a whole number from 1 on, got ${JSON.stringify(levels)}`);
  }
  if (seed !== undefined && !isWhole(seed, 0)) {
    throw new UserError(`seed: must be a whole number from 0 on, got ${JSON.stringify(seed)}`);
  }
  if (series !== undefined && typeof series !== "string") {
    throw new UserError(`series: must be a text, got ${JSON.stringify(series)}`);
  }
}

/** The views that a folder has, in the order in which a page shows them. Reads the config and looks at other files; builds
 * no model. */
export async function viewsOf(folder: string, kind: EntryKind): Promise<ViewName[]> {
  if (kind === "comparison" || kind === "experiment") return [];
  if (kind === "forecast") return (await isFile(join(folder, FORECAST_FILES.values))) ? ["scenario"] : [];
  const names = kind === "backtest" ? await backtestViews(folder) : await runViews(folder);
  return (Object.keys(VIEWS) as ViewName[]).filter((name) => names.has(name));
}

async function backtestViews(folder: string): Promise<Set<ViewName>> {
  const names = new Set<ViewName>();
  if (await isFile(join(folder, BACKTEST_FILES.forecasts))) names.add("forecast");
  if (await isFile(join(folder, BACKTEST_FILES.metrics))) names.add("calibration");
  return names;
}

async function runViews(folder: string): Promise<Set<ViewName>> {
  const names = new Set<ViewName>();
  const run = await runInside(folder);
  const configText = await readText(join(run, RUN_FILES.config)).catch(() => null);
  const config = configText === null ? null : plainConfig(configText);
  if (!config || configText === null) return names;
  const metrics = join(run, RUN_FILES.metrics);
  if (config.residuals === true && (await isFile(metrics))) names.add("residuals");
  if (await endsWith(metrics, '"circles"')) names.add("modes");
  const hasList = [join(folder, DESIGN_FILES.candidates), join(run, RUN_FILES.samples)].map(isFile);
  if ((await Promise.all(hasList)).includes(true)) names.add("candidates");
  const structure = await taskStructure(run, configText);
  if (!structure || !(await isFile(join(run, RUN_FILES.checkpoint)))) return names;
  for (const name of ["distribution", "flow", "dynamics", "entropy", "trajectories", "candidates"] as const) {
    names.add(name);
  }
  if (structure.objects === "strings") names.add("logo");
  if (structure.objects === "cells" && structure.hasTable) names.add("grid");
  if (hasTransformer(config)) names.add("attention");
  return names;
}

function plainConfig(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const config: unknown = JSON.parse(text);
    return typeof config === "object" && config !== null ? (config as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Whether a network of the run attends to a history. */
function hasTransformer({
  network = "mlp",
  encoder = "none",
  dynamics = "none",
  dynamicsEncoder = "none",
}: Readonly<Record<string, unknown>>): boolean {
  const ofPolicy = network === "transformer" || (network === "mlp" && encoder !== "none");
  const learns = learnsDynamics({ dynamics: dynamics as Objective["dynamics"] });
  return ofPolicy || (learns && dynamicsEncoder !== "none");
}

/** Bytes at the end of the metrics that are looked at. */
const LAST_BYTES = 2 ** 18;

/** Whether the end of a file contains a text. */
async function endsWith(path: string, text: string): Promise<boolean> {
  const file = await openIfExists(path).catch(() => null);
  if (!file) return false;
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, LAST_BYTES));
    await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.includes(text);
  } finally {
    await file.close();
  }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isFile(),
    () => false,
  );
}
