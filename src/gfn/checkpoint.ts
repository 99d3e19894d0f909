// Snapshots as bytes: a safetensors file whose metadata says what the tensors do not. Any safetensors reader can open
// it and find the weights; `about` says how the flat vectors are laid out.

import { ModelFileError } from "../engine/index.ts";
import {
  readAbout,
  readBuffers,
  readObjects,
  readRun,
  readStreams,
  readVersion,
} from "./checkpoint-metadata.ts";
import { crc32 } from "./checksum.ts";
import type { SavedEpisodes } from "./episode-buffer.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "./safetensors.ts";
import type { Snapshot } from "./snapshot.ts";

/** What the metadata of every checkpoint begins with. */
const MARK = { library: "gflownet", kind: "checkpoint" };
/** Raised when an older reader would misread what is written. */
const VERSION = 1;

type Tensors = Record<string, StoredTensor>;
type Metadata = Readonly<Record<string, string>>;

export function encodeCheckpoint(snapshot: Snapshot): Uint8Array<ArrayBuffer> {
  const { about, streams, buffers, oracle, iteration, iterations, seconds, evaluated } = snapshot;
  const tensors: Tensors = {};
  for (const [name, data] of Object.entries(snapshot.tensors)) {
    const shape = name.endsWith(".step") ? [] : [data.length];
    tensors[name] = { dtype: data instanceof Int32Array ? "I32" : "F32", shape, data };
  }
  for (const [name, { actions, outcomes, scores }] of Object.entries(buffers)) {
    const shape = [scores.length, scores.length > 0 ? actions.length / scores.length : 0];
    tensors[`buffer.${name}.actions`] = { dtype: "I32", shape, data: actions };
    tensors[`buffer.${name}.outcomes`] = { dtype: "I32", shape, data: outcomes };
    tensors[`buffer.${name}.scores`] = { dtype: "F64", shape: [scores.length], data: scores };
  }
  if (oracle) {
    // Not in the header, whose size is limited: there may be millions.
    const objects = new TextEncoder().encode(JSON.stringify(oracle.objects));
    tensors["oracle.objects"] = { dtype: "U8", shape: [objects.length], data: objects };
    tensors["oracle.scores"] = { dtype: "F64", shape: [oracle.scores.length], data: oracle.scores };
  }
  const added = Object.entries(buffers).map(([name, buffer]) => [name, buffer.added]);
  const metadata = {
    ...MARK,
    version: `${VERSION}`,
    // JSON has no infinity, which an endless run is to make.
    run: JSON.stringify({ iteration, iterations: endless(iterations), seconds, evaluated }),
    about: JSON.stringify(about),
    streams: JSON.stringify(streams),
    buffers: JSON.stringify(Object.fromEntries(added)),
  };
  return encodeSafetensors(tensors, { ...metadata, checksum: checksumOf(tensors, metadata) });
}

/** Reads bytes of a file, which errors call `where`. Throws a ModelFileError of one sentence if anything is wrong. */
export function decodeCheckpoint(bytes: Uint8Array, where: string): Snapshot {
  const { tensors, metadata } = decodeSafetensors(bytes, where);
  const { checksum, ...rest } = metadata;
  if (rest.library !== MARK.library || rest.kind !== MARK.kind) {
    throw new ModelFileError(`${where} is a safetensors file, but not a checkpoint of ${MARK.library}.`);
  }
  if (Number(rest.version) > VERSION) {
    throw new ModelFileError(
      `${where} is a checkpoint of version ${Number(rest.version)}, and this ${MARK.library} reads up to version ${VERSION}; use a newer one.`,
    );
  }
  try {
    if (checksum !== checksumOf(tensors, rest)) throw new RangeError("its checksum is wrong");
    readVersion(rest.version, VERSION);
    return snapshotOf(tensors, rest);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ModelFileError(`${where} is a damaged checkpoint: ${error.message}.`, { cause: error });
  }
}

function snapshotOf(stored: Readonly<Record<string, StoredTensor>>, metadata: Metadata): Snapshot {
  const left = { ...stored };
  const take = <T>(name: string, type: new (...args: never[]) => T): T => {
    const data = left[name]?.data;
    if (!(data instanceof type)) throw new RangeError(`it lacks ${name}, or it is of another type`);
    delete left[name];
    return data;
  };
  const buffers: Record<string, SavedEpisodes> = {};
  for (const [name, added] of Object.entries(readBuffers(metadata.buffers))) {
    buffers[name] = {
      added,
      actions: take(`buffer.${name}.actions`, Int32Array),
      outcomes: take(`buffer.${name}.outcomes`, Int32Array),
      scores: take(`buffer.${name}.scores`, Float64Array),
    };
  }
  const oracle = left["oracle.objects"]
    ? {
        objects: readObjects(take("oracle.objects", Uint8Array)),
        scores: take("oracle.scores", Float64Array),
      }
    : null;
  const tensors: Record<string, Float32Array | Int32Array> = {};
  for (const [name, { data }] of Object.entries(left)) {
    if (!(data instanceof Float32Array || data instanceof Int32Array)) {
      throw new RangeError(`${name} is of a type that no weights have`);
    }
    tensors[name] = data;
  }
  return {
    ...readRun(metadata.run),
    about: readAbout(metadata.about),
    tensors,
    streams: readStreams(metadata.streams),
    buffers,
    oracle,
  };
}

/** Of everything but itself: the bytes that the file would have without it. */
function checksumOf(tensors: Readonly<Record<string, StoredTensor>>, metadata: Metadata): string {
  return crc32(encodeSafetensors(tensors, metadata)).toString(16).padStart(8, "0");
}

function endless(iterations: number | null): number | null | "endless" {
  return iterations === Number.POSITIVE_INFINITY ? "endless" : iterations;
}
