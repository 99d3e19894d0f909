// The folder of a fitted model: the model, a manifest with the data and its options, the training events, and the
// networks as .onnx files.

import { join, resolve } from "node:path";
import { writeFileAtomically } from "../disk/atomic-file.ts";
import { readBytes, readText } from "../disk/open-file.ts";
import { UserError } from "../issues.ts";
import { formatEvent } from "../run/event-lines.ts";
import { createFolder } from "../run/new-folder.ts";
import type { PanelFileOptions } from "./data/panel-file.ts";
import { decodeForecastModel, encodeForecastModel } from "./model/model-file.ts";
import { exportForecastModel } from "./model/onnx-export.ts";
import type { ForecastModel, ForecastTrainingEvent } from "./model/train.ts";

export const MODEL_FILES = {
  model: "model.safetensors",
  manifest: "manifest.json",
  training: "training.jsonl",
  encoder: "encoder.onnx",
  paths: "paths.onnx",
} as const;

/** Increased when older versions would misread the folder. */
const VERSION = 2;
/** Number of windows per call of the exported networks. */
const ONNX_ROWS = 16;

/** The data of a model and the options to read them. */
export interface ModelManifest {
  readonly name: string;
  /** Path of the data; null for the demo data of the package. */
  readonly data: string | null;
  readonly options: PanelFileOptions;
}

/** Writes a new folder. `packageVersion` is recorded in the manifest. */
export async function writeModelFolder(
  folder: string,
  manifest: ModelManifest,
  model: ForecastModel,
  {
    events,
    packageVersion,
  }: { readonly events: readonly ForecastTrainingEvent[]; readonly packageVersion: string },
): Promise<void> {
  const path = resolve(folder);
  await createFolder(path);
  const { encoder, paths } = exportForecastModel(model, { rows: ONNX_ROWS });
  await writeFileAtomically(join(path, MODEL_FILES.encoder), encoder);
  await writeFileAtomically(join(path, MODEL_FILES.paths), paths);
  await writeFileAtomically(join(path, MODEL_FILES.training), events.map(formatEvent).join(""));
  await writeFileAtomically(join(path, MODEL_FILES.model), encodeForecastModel(model));
  const { settings, trained } = model;
  const content = {
    ...{ kind: "forecast", version: VERSION, gflownet: packageVersion },
    ...{ ...manifest, settings, trained },
  };
  // The manifest is written last, so that a folder with a manifest is complete.
  await writeFileAtomically(join(path, MODEL_FILES.manifest), `${JSON.stringify(content, null, 2)}\n`);
}

/** Reads a folder. Throws a UserError if it is not a model folder, and an Error if its files are damaged. */
export async function readModelFolder(
  folder: string,
): Promise<{ readonly manifest: ModelManifest; readonly model: ForecastModel }> {
  const [manifestPath, modelPath] = [MODEL_FILES.manifest, MODEL_FILES.model].map((file) =>
    join(folder, file),
  );
  const [text, bytes] = [await readText(manifestPath), await readBytes(modelPath)];
  if (text === null || bytes === null) {
    throw new UserError(`${folder} is not a model folder; fit a model first`, { remedy: { action: "fit" } });
  }
  return { manifest: parseManifest(text, manifestPath), model: decodeForecastModel(bytes, modelPath) };
}

function parseManifest(text: string, path: string): ModelManifest {
  let content: (Partial<ModelManifest> & { readonly kind?: unknown; readonly version?: unknown }) | null;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is damaged: ${(error as Error).message.split("\n")[0]}`, { cause: error });
  }
  const { kind, version, name, data, options } = content ?? {};
  if (kind !== "forecast") {
    const got = JSON.stringify(kind) ?? "no kind";
    throw new Error(`${path} must be the manifest of a forecasting model, got ${got}`);
  }
  if (version !== VERSION) {
    throw new Error(`${path} must have version ${VERSION}, got ${version}; fit the model again`);
  }
  const isData = data === null || typeof data === "string";
  if (typeof name !== "string" || !isData || typeof options !== "object" || options === null) {
    throw new Error(`${path} is damaged: it must contain name, data and options`);
  }
  return { name, data, options };
}
