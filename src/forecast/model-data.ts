// Reads data for a fitted model: with the model's frequency and targets, and notes about values it has not seen.

import { TableError } from "../formats/tables/table-error.ts";
import { UserError } from "../issues.ts";
import { formatFrequency } from "./data/frequency.ts";
import { DEMO, type PanelFile, type PanelFileOptions, readPanelFile } from "./data/panel-file.ts";
import type { ReadControl } from "./data/read-progress.ts";
import { usablePanel } from "./data/usable-panel.ts";
import { fillPanelGaps } from "./gap-filling.ts";
import type { ForecastModel } from "./model/train.ts";
import type { ModelManifest } from "./model-folder.ts";
import type { Panel } from "./types.ts";

/** A file of time series, prepared for a model. */
export interface ModelData {
  readonly file: PanelFile;
  /** Usable series with filled gaps. */
  readonly panel: Panel;
  /** One sentence per remark about the data. */
  readonly notes: readonly string[];
}

/** Reads the data at `path`, or the data that the model was fitted on. */
export async function readModelData(
  model: ForecastModel,
  manifest: ModelManifest,
  { path, horizon, folder }: { readonly path?: string; readonly horizon: number; readonly folder: string },
  control: ReadControl = {},
): Promise<ModelData> {
  const step = model.features.frequency === null ? "irregular" : formatFrequency(model.features.frequency);
  const options: PanelFileOptions =
    manifest.options.resample === undefined ? { ...manifest.options, frequency: step } : manifest.options;
  const source = path ?? manifest.data ?? DEMO.path;
  const file = await readPanelFile(source, options, control).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    const message = modelDataMessage(error, `${folder} was fitted on steps of ${step}`);
    if (path !== undefined) throw new UserError(message, { cause: error });
    throw new UserError(`${message}; ${folder} was fitted on this file, so give other data`, {
      cause: error,
    });
  });
  const expected = model.features.targets.join(", ");
  if (expected !== file.panel.targets.join(", ")) {
    throw new UserError(
      `${file.path} must have the targets of the model, ${expected}, got ${file.panel.targets.join(", ")}`,
    );
  }
  const { panel, notes } = usablePanel(file.panel);
  return {
    file,
    panel: fillPanelGaps(panel, manifest.options.fill ?? "none"),
    notes: [...notes, ...unseenValueNotes(model, panel, horizon)],
  };
}

/** Notes about categories that were not in the training data, and about missing rows of known-future covariates. */
function unseenValueNotes({ features }: ForecastModel, panel: Panel, horizon: number): string[] {
  const unseenLevels = features.categories.flatMap(({ name, static: isStatic, levels }) => {
    const values = panel.series.flatMap(({ covariates, statics, future }): unknown[] =>
      isStatic ? [statics[name]] : [...(covariates[name] ?? []), ...(future?.covariates[name] ?? [])],
    );
    const seen = new Set<unknown>(levels);
    const unseen = [...new Set(values)].filter((level) => typeof level === "string" && !seen.has(level));
    if (unseen.length === 0) return [];
    const shown = unseen.slice(0, 5).map((level) => JSON.stringify(level));
    const more = unseen.length > shown.length ? ` and ${unseen.length - shown.length} more` : "";
    return [
      `column ${name}: ${shown.join(", ")}${more} was not in the training data and is treated as unknown`,
    ];
  });
  const knownInFuture = [...features.numeric, ...features.categories].filter(
    (column) => column.knownInFuture && !column.static,
  );
  const short = panel.series.filter(({ future }) => (future?.times.length ?? 0) < horizon);
  if (knownInFuture.length === 0 || short.length === 0) return unseenLevels;
  const names = knownInFuture.map(({ name }) => name).join(", ");
  const rows = short[0].future?.times.length ?? 0;
  return [
    ...unseenLevels,
    `${names} should be known in the future, but series ${JSON.stringify(short[0].id)} has ${rows} of ${horizon} future rows; the others are treated as missing`,
  ];
}

/** The frequency of a model is fixed, so advice to change it is replaced by the frequency of the model. */
function modelDataMessage(error: UserError, fittedOn: string): string {
  if (!(error instanceof TableError)) return error.message;
  return error.issues[0].path === "frequency" ? `${error.problem}; ${fittedOn}` : error.message;
}
