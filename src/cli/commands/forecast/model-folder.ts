// The folder of a model that was fitted: the model, what it was told, how training went, and the networks as .onnx.

import { join, resolve } from "node:path";
import {
  decodeForecastModel,
  encodeForecastModel,
  exportForecastModel,
  type ForecastModel,
  type TrainingEvent,
} from "../../../forecast/model/index.ts";
import { writeFileAtomically } from "../../../run/atomic-file.ts";
import { writeLine } from "../../../run/metrics-lines.ts";
import { makeFolder } from "../../../run/new-folder.ts";
import { readText, readWhole } from "../../../run/run-files.ts";
import { UsageError } from "../../fail.ts";
import { readVersion } from "../../version.ts";
import type { DataFlags } from "./data-flags.ts";

export const MODEL_FILES = {
  model: "model.safetensors",
  manifest: "manifest.json",
  training: "training.jsonl",
  encoder: "encoder.onnx",
  paths: "paths.onnx",
} as const;

/** Raised when an older reader would misread what is written. */
const VERSION = 1;
/** Windows that one call of the exported networks takes. */
const ONNX_ROWS = 16;

/** Where the data of a model are, and how they are read. */
export interface ModelManifest {
  readonly name: string;
  /** Null for the data that come with the package. */
  readonly data: string | null;
  readonly flags: DataFlags;
}

export async function writeModelFolder(
  folder: string,
  manifest: ModelManifest,
  model: ForecastModel,
  events: readonly TrainingEvent[],
): Promise<void> {
  const path = resolve(folder);
  await makeFolder(path);
  const { encoder, paths } = exportForecastModel(model, { rows: ONNX_ROWS });
  await writeFileAtomically(join(path, MODEL_FILES.encoder), encoder);
  await writeFileAtomically(join(path, MODEL_FILES.paths), paths);
  await writeFileAtomically(join(path, MODEL_FILES.training), events.map(writeLine).join(""));
  await writeFileAtomically(join(path, MODEL_FILES.model), encodeForecastModel(model));
  const { settings, trained } = model;
  const all = { kind: "forecast", version: VERSION, gflownet: readVersion(), ...manifest, settings, trained };
  // Last: a folder with a manifest is whole.
  await writeFileAtomically(join(path, MODEL_FILES.manifest), `${JSON.stringify(all, null, 2)}\n`);
}

export async function readModelFolder(
  folder: string,
): Promise<{ readonly manifest: ModelManifest; readonly model: ForecastModel }> {
  const [manifestPath, modelPath] = [MODEL_FILES.manifest, MODEL_FILES.model].map((file) =>
    join(folder, file),
  );
  const [text, bytes] = [await readText(manifestPath), await readWhole(modelPath)];
  if (text === null || bytes === null) {
    throw new UsageError(`${folder} is no folder that gflownet forecast fit has made`);
  }
  return { manifest: parseManifest(text, manifestPath), model: decodeForecastModel(bytes, modelPath) };
}

function parseManifest(text: string, path: string): ModelManifest {
  let found: (Partial<ModelManifest> & { readonly kind?: unknown; readonly version?: unknown }) | null;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is damaged: ${(error as Error).message.split("\n")[0]}`, { cause: error });
  }
  const { kind, version, name, data, flags } = found ?? {};
  if (kind !== "forecast")
    throw new Error(`${path} must be the manifest of a forecast, got ${JSON.stringify(kind) ?? "no kind"}`);
  if (version !== VERSION) {
    throw new Error(`${path} is of version ${version}, and this gflownet reads version ${VERSION}`);
  }
  const isPlace = data === null || typeof data === "string";
  if (typeof name !== "string" || !isPlace || typeof flags !== "object" || flags === null) {
    throw new Error(`${path} is damaged: it must say the name, data and flags of its model`);
  }
  return { name, data, flags };
}
