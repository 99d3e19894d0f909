// A trained model as bytes: a safetensors file with the parameters and the bins, whose metadata is the manifest: settings,
// columns with their scales and levels, what training was like, and a checksum of the data.

import { ModelFileError } from "../../engine/index.ts";
import { crc32 } from "../../gfn/checksum.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "../../gfn/safetensors.ts";
import type { Features } from "./features.ts";
import type { ForecastModel, TrainingReport } from "./likelihood.ts";
import { forecastNetwork } from "./network.ts";
import { type CompleteSettings, completeSettings, type ForecastSettings } from "./settings.ts";
import { type WindowShape, windowSizes } from "./windows.ts";

const MARK = { library: "gflownet", kind: "forecast" };
/** Raised when an older reader would misread what is written: one that knows no normalisers reads 2 only. */
const VERSION = { plain: "2", normalised: "3" };

/** What a file says beside its tensors. */
interface Manifest {
  readonly settings: CompleteSettings;
  readonly features: Features;
  readonly shape: WindowShape;
  readonly trained: TrainingReport;
}

/** The same model gives the same bytes. */
export function encodeForecastModel(model: ForecastModel): Uint8Array<ArrayBuffer> {
  const { parameters, bins, settings, features, shape, trained } = model;
  const tensors: Record<string, StoredTensor> = {
    parameters: { dtype: "F32", shape: [parameters.length], data: parameters },
    "bins.edges": { dtype: "F64", shape: [bins.edges.length], data: bins.edges },
    "bins.tails": { dtype: "F64", shape: [2], data: Float64Array.from(bins.tails) },
  };
  const manifest: Manifest = { settings, features, shape, trained };
  const version = features.normalisers ? VERSION.normalised : VERSION.plain;
  const metadata = { ...MARK, version, manifest: JSON.stringify(manifest) };
  return encodeSafetensors(tensors, { ...metadata, checksum: checksumOf(tensors, metadata) });
}

/** Reads bytes of a file, which errors call `where`. Throws a ModelFileError of one sentence if anything is wrong. */
export function decodeForecastModel(bytes: Uint8Array, where: string): ForecastModel {
  const { tensors, metadata } = decodeSafetensors(bytes, where);
  const { checksum, ...rest } = metadata;
  if (rest.library !== MARK.library || rest.kind !== MARK.kind) {
    throw new ModelFileError(
      `${where} is a safetensors file, but not a forecasting model of ${MARK.library}.`,
    );
  }
  if (!Object.values(VERSION).includes(rest.version)) {
    throw new ModelFileError(
      `${where} is a forecasting model of version ${rest.version}, and this ${MARK.library} reads versions ${Object.values(VERSION).join(" and ")}.`,
    );
  }
  try {
    if (checksum !== checksumOf(tensors, rest)) throw new RangeError("its checksum is wrong");
    return modelOf(tensors, rest.manifest);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError))
      throw error;
    throw new ModelFileError(`${where} is a damaged forecasting model: ${error.message}.`, { cause: error });
  }
}

function modelOf(tensors: Readonly<Record<string, StoredTensor>>, text: string | undefined): ForecastModel {
  const { settings: given, features, shape, trained } = JSON.parse(text ?? "") as Manifest;
  const settings = completeSettings(given as ForecastSettings);
  const [edges, tails] = ["bins.edges", "bins.tails"].map((name) => tensors[name]?.data);
  const parameters = tensors.parameters?.data;
  if (!(edges instanceof Float64Array && tails instanceof Float64Array && tails.length === 2)) {
    throw new RangeError("it lacks its bins, or they are of another type");
  }
  if (
    !edges.every((edge, k) => Number.isFinite(edge) && (k === 0 || edge > edges[k - 1])) ||
    edges.length < 2
  ) {
    throw new RangeError("the edges of its bins do not rise");
  }
  if (!tails.every((tail) => tail > 0 && Number.isFinite(tail))) throw new RangeError("a tail has no length");
  if (!(parameters instanceof Float32Array)) throw new RangeError("it lacks its parameters");
  const bins = { edges, tails: [tails[0], tails[1]] as const };
  const { layout } = forecastNetwork(settings, shape, windowSizes(features, shape), bins);
  if (parameters.length !== layout.size) {
    throw new RangeError(`it has ${parameters.length} parameters, and its settings ask for ${layout.size}`);
  }
  if (!parameters.every(Number.isFinite)) throw new RangeError("a parameter is not finite");
  return { settings, features, shape, bins, parameters, trained };
}

/** Of everything but itself: the bytes that the file would have without it. */
function checksumOf(
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>>,
): string {
  return crc32(encodeSafetensors(tensors, metadata)).toString(16).padStart(8, "0");
}
