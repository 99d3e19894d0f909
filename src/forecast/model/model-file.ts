// A trained model as a safetensors file: tensors for the parameters and the bins, and metadata with a JSON manifest of the
// settings, features, window shape and training report.

import { ModelFileError } from "../../engine/index.ts";
import { checksumText } from "../../formats/crc32.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "../../formats/safetensors.ts";
import { UserError } from "../../issues.ts";
import type { Features } from "./features.ts";
import { forecastNetwork } from "./forecast-network.ts";
import { type CompleteForecastSettings, completeForecastSettings } from "./settings.ts";
import type { ForecastModel, ForecastTrainingReport } from "./train.ts";
import { type WindowShape, windowSizes } from "./window-arrays.ts";

const FORMAT = { library: "gflownet", kind: "forecast" };
/** Changes whenever the names or the meaning of the contents change. */
const VERSION = "4";
/** Errors that damaged contents cause. */
const CONTENT_ERRORS = [RangeError, TypeError, SyntaxError, UserError];

interface Manifest {
  readonly settings: CompleteForecastSettings;
  readonly features: Features;
  readonly shape: WindowShape;
  readonly trained: ForecastTrainingReport;
}

/** Equal models give equal bytes. */
export function encodeForecastModel(model: ForecastModel): Uint8Array<ArrayBuffer> {
  const { parameters, bins, settings, features, shape, trained } = model;
  const tensors: Record<string, StoredTensor> = {
    parameters: { dtype: "F32", shape: [parameters.length], data: parameters },
    "bins.edges": { dtype: "F64", shape: [bins.edges.length], data: bins.edges },
    "bins.tails": { dtype: "F64", shape: [2], data: Float64Array.from(bins.tails) },
  };
  const manifest: Manifest = { settings, features, shape, trained };
  const metadata = { ...FORMAT, version: VERSION, manifest: JSON.stringify(manifest) };
  return encodeSafetensors(tensors, { ...metadata, checksum: checksumOf(tensors, metadata) });
}

/** Decodes the bytes of a file; error messages call it `name`. Throws a ModelFileError if the file is not valid. */
export function decodeForecastModel(bytes: Uint8Array, name: string): ForecastModel {
  const { tensors, metadata } = decodeSafetensors(bytes, name);
  const { checksum, ...rest } = metadata;
  if (rest.library !== FORMAT.library || rest.kind !== FORMAT.kind) {
    throw new ModelFileError(
      `${name} is a safetensors file, but not a forecasting model of ${FORMAT.library}.`,
    );
  }
  if (rest.version !== VERSION) {
    throw new ModelFileError(
      `${name} must be a forecasting model of version ${VERSION}, got version ${rest.version}; fit the model again with this version of ${FORMAT.library}.`,
    );
  }
  try {
    if (checksum !== checksumOf(tensors, rest)) throw new RangeError("its checksum is wrong");
    return modelFrom(tensors, rest.manifest);
  } catch (error) {
    if (!(error instanceof Error && CONTENT_ERRORS.some((type) => error instanceof type))) throw error;
    throw new ModelFileError(`${name} is a damaged forecasting model: ${error.message}.`, { cause: error });
  }
}

function modelFrom(tensors: Readonly<Record<string, StoredTensor>>, text: string | undefined): ForecastModel {
  const manifest = JSON.parse(text ?? "") as Manifest;
  const { features, shape, trained } = manifest;
  const settings = completeForecastSettings(manifest.settings);
  const [edges, tails] = ["bins.edges", "bins.tails"].map((name) => tensors[name]?.data);
  const parameters = tensors.parameters?.data;
  if (!(edges instanceof Float64Array && tails instanceof Float64Array && tails.length === 2)) {
    throw new RangeError("its bins are missing or have the wrong type");
  }
  const isIncreasing = edges.every((edge, k) => Number.isFinite(edge) && (k === 0 || edge > edges[k - 1]));
  if (!isIncreasing || edges.length < 2) {
    throw new RangeError("the edges of its bins are not increasing");
  }
  if (!tails.every((tail) => tail > 0 && Number.isFinite(tail)))
    throw new RangeError("the scale of a tail is not positive");
  if (!(parameters instanceof Float32Array)) throw new RangeError("its parameters are missing");
  const bins = { edges, tails: [tails[0], tails[1]] as const };
  const { layout } = forecastNetwork(settings, shape, windowSizes(features, shape), bins);
  if (parameters.length !== layout.size) {
    throw new RangeError(`its settings need ${layout.size} parameters, got ${parameters.length}`);
  }
  if (!parameters.every(Number.isFinite)) throw new RangeError("a parameter is not finite");
  return { settings, features, shape, bins, parameters, trained };
}

/** CRC-32 of the bytes that the file has without its checksum. */
function checksumOf(
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>>,
): string {
  return checksumText(encodeSafetensors(tensors, metadata));
}
