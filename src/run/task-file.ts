// The task file of a run that was trained from TypeScript: everything that is needed to build its environment again, and
// the table of scores if there is one. A score function cannot be stored.

import { ModelFileError } from "../engine/index.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "../formats/safetensors.ts";
import { constrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { enumerationOf, isEnumerable } from "../gfn/environment/environment.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { isPreference, preferenceEnvironment } from "../gfn/environment/preference.ts";
import { recipeOf } from "../gfn/environment/recipe.ts";
import { regimeEnvironment } from "../gfn/environment/regime.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { isTabular, tabularEnvironment } from "../gfn/environment/tabular-environment.ts";
import { decodeTables, encodeTables } from "./stored-tables.ts";

/** Metadata that identifies a task file. */
const MARK = { library: "gflownet", kind: "task" };
const VERSION = "1";

/** Factories of environments that a task file may name. Nothing else of the file is executed. */
const FACTORIES: Readonly<Record<string, (options: never) => Environment>> = {
  sequenceEnvironment,
  longSequenceEnvironment,
  hypergridEnvironment,
  regimeEnvironment,
  constrainedSequenceEnvironment,
};

export interface StoredTask {
  /** Null if only a program of the user can build it. */
  readonly environment: Environment | null;
  /** Null if a function gave the scores. */
  readonly scores: Float64Array | null;
  readonly offlineObjects?: readonly string[];
  readonly heldOutObjects?: readonly string[];
  /** The largest score that the score function can return. */
  readonly largestScore?: number;
}

/** The bytes of a task file. */
export function encodeTask({ environment: given, scores, largestScore, ...lists }: StoredTask) {
  const preferred = given && isPreference(given) ? given : null;
  const environment = preferred ? preferred.base : given;
  const recipe = environment && recipeOf(environment);
  const tables = environment && isTabular(environment) ? encodeTables(environment.tables) : null;
  const tensors: Record<string, StoredTensor> = { ...tables?.tensors };
  if (preferred) {
    const { objectives } = preferred;
    const shape = [objectives.length, objectives[0].length];
    const data = Float64Array.from(objectives.flatMap((table) => [...table]));
    tensors.objectives = { dtype: "F64", shape, data };
  }
  if (scores) tensors.scores = { dtype: "F64", shape: [scores.length], data: scores };
  for (const [name, objects] of Object.entries(lists)) {
    if (objects === undefined) continue;
    const data = new TextEncoder().encode(JSON.stringify(objects));
    tensors[name] = { dtype: "U8", shape: [data.length], data };
  }
  return encodeSafetensors(tensors, {
    ...MARK,
    version: VERSION,
    ...(recipe && { recipe: JSON.stringify(recipe) }),
    ...(tables && { tables: tables.header }),
    ...(preferred && { preference: JSON.stringify(preferred.preference) }),
    ...(largestScore !== undefined && { largestScore: String(largestScore) }),
  });
}

/** Reads the bytes of a task file. `where` is the name of the file in errors. */
export function decodeTask(bytes: Uint8Array, where: string): StoredTask {
  const { tensors, metadata } = decodeSafetensors(bytes, where);
  if (metadata.library !== MARK.library || metadata.kind !== MARK.kind) {
    throw new ModelFileError(`${where} is a safetensors file, but not a task of ${MARK.library}.`);
  }
  if (metadata.version !== VERSION) {
    throw new ModelFileError(
      `${where} is a task file of version ${metadata.version}, but this ${MARK.library} reads version ${VERSION} only; train the run again.`,
    );
  }
  const { largestScore } = metadata;
  try {
    const scores = tensors.scores?.data ?? null;
    if (scores && !(scores instanceof Float64Array)) throw new RangeError("its scores must have type F64");
    const largest = largestScore === undefined ? undefined : Number(largestScore);
    if (largest !== undefined && !(largest > 0)) throw new RangeError(`its largest score is ${largestScore}`);
    return {
      environment: withPreferences(environmentOf(metadata, tensors), metadata, tensors),
      scores,
      ...(tensors.offlineObjects && { offlineObjects: textsOf(tensors.offlineObjects) }),
      ...(tensors.heldOutObjects && { heldOutObjects: textsOf(tensors.heldOutObjects) }),
      ...(largest !== undefined && { largestScore: largest }),
    };
  } catch (error) {
    throw new ModelFileError(`${where} is damaged: ${(error as Error).message}.`, { cause: error });
  }
}

/** Null if the file has neither tables nor a recipe. */
function environmentOf(
  { recipe, tables }: Readonly<Record<string, string>>,
  tensors: Readonly<Record<string, StoredTensor>>,
): Environment | null {
  if (tables !== undefined) return tabularEnvironment(decodeTables(tables, tensors));
  if (recipe === undefined) return null;
  const { factory, options } = JSON.parse(recipe);
  if (!Object.hasOwn(FACTORIES, factory)) throw new RangeError(`it names the unknown factory ${factory}`);
  return FACTORIES[factory](options as never);
}

/** The environment with its objectives, if the file has some. */
function withPreferences(
  environment: Environment | null,
  { preference }: Readonly<Record<string, string>>,
  { objectives: stored }: Readonly<Record<string, StoredTensor>>,
): Environment | null {
  if (preference === undefined || !environment) return environment;
  if (!isEnumerable(environment) || !(stored?.data instanceof Float64Array))
    throw new RangeError("its objectives must be tables of type F64 for an environment with an enumeration");
  const { terminals } = enumerationOf(environment);
  const { data } = stored;
  const objectives = Array.from({ length: data.length / terminals }, (_, i) =>
    data.slice(i * terminals, (i + 1) * terminals),
  );
  return preferenceEnvironment({ environment, objectives, preference: JSON.parse(preference) });
}

function textsOf({ data }: StoredTensor): string[] {
  const texts: unknown = data instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(data)) : null;
  if (Array.isArray(texts) && texts.every((text) => typeof text === "string")) return texts;
  throw new RangeError("its lists of objects must be lists of texts");
}
