// Checkpoints: snapshots as the bytes of a safetensors file, which any safetensors reader can open.
//
// Tensors are flat parameter vectors, replay buffers and scores. The metadata has everything else as JSON; its field
// `fingerprint` includes the shapes of the parameters in each flat vector.

import { ModelFileError } from "../../engine/index.ts";
import { checksumText } from "../../formats/crc32.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "../../formats/safetensors.ts";
import type { SavedTrajectories } from "../sampling/replay-buffer.ts";
import {
  readBuffers,
  readFingerprint,
  readMatching,
  readObjects,
  readRun,
  readSizing,
  readStreams,
  readVersion,
} from "./checkpoint-metadata.ts";
import type { Snapshot } from "./snapshot.ts";

/** Metadata that identifies a checkpoint. */
const MARK = { library: "gflownet", kind: "checkpoint" };
/** Version of the format. Increased with every change that other versions cannot read. */
const VERSION = 3;

type Tensors = Record<string, StoredTensor>;
type Metadata = Readonly<Record<string, string>>;

/** Encodes a snapshot as the bytes of a checkpoint, which is a safetensors file. */
export function encodeCheckpoint(snapshot: Snapshot): Uint8Array<ArrayBuffer> {
  const { fingerprint, streams, buffers, oracle, matching, sizing } = snapshot;
  const { iteration, iterations, plan, seconds, evaluated } = snapshot;
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
    // Stored as a tensor, because the header has a size limit and there may be millions of objects.
    const objects = new TextEncoder().encode(JSON.stringify(oracle.objects));
    tensors["oracle.objects"] = { dtype: "U8", shape: [objects.length], data: objects };
    tensors["oracle.scores"] = { dtype: "F64", shape: [oracle.scores.length], data: oracle.scores };
  }
  const addedCounts = Object.entries(buffers).map(([name, buffer]) => [name, buffer.added]);
  const metadata = {
    ...MARK,
    version: `${VERSION}`,
    // JSON has no infinity, the number of iterations of an endless run.
    run: JSON.stringify({ iteration, iterations: endless(iterations), plan, seconds, evaluated }),
    fingerprint: JSON.stringify(fingerprint),
    streams: JSON.stringify(streams),
    buffers: JSON.stringify(Object.fromEntries(addedCounts)),
    ...(matching && { matching: JSON.stringify(matching) }),
    ...(sizing && { sizing: JSON.stringify(sizing) }),
  };
  return encodeSafetensors(tensors, { ...metadata, checksum: checksumOf(tensors, metadata) });
}

/** Reads the bytes of a checkpoint. `where` is the name of the file in errors. Throws a ModelFileError if it is damaged. */
export function decodeCheckpoint(bytes: Uint8Array, where: string): Snapshot {
  const { tensors, metadata } = decodeSafetensors(bytes, where);
  const { checksum, ...rest } = metadata;
  if (rest.library !== MARK.library || rest.kind !== MARK.kind) {
    throw new ModelFileError(`${where} is a safetensors file, but not a checkpoint of ${MARK.library}.`);
  }
  const version = Number(rest.version);
  if (Number.isInteger(version) && version !== VERSION) {
    const remedy = version > VERSION ? `use a newer ${MARK.library}` : "train the run again";
    throw new ModelFileError(
      `${where} is a checkpoint of version ${version}, but this ${MARK.library} reads version ${VERSION} only; ${remedy}.`,
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
  const remaining = { ...stored };
  const take = <T>(name: string, type: new (...args: never[]) => T): T => {
    const data = remaining[name]?.data;
    if (!(data instanceof type))
      throw new RangeError(`it lacks the tensor ${name}, or the tensor has another type`);
    delete remaining[name];
    return data;
  };
  const buffers: Record<string, SavedTrajectories> = {};
  for (const [name, added] of Object.entries(readBuffers(metadata.buffers))) {
    buffers[name] = {
      added,
      actions: take(`buffer.${name}.actions`, Int32Array),
      outcomes: take(`buffer.${name}.outcomes`, Int32Array),
      scores: take(`buffer.${name}.scores`, Float64Array),
    };
  }
  const oracle = remaining["oracle.objects"]
    ? {
        objects: readObjects(take("oracle.objects", Uint8Array)),
        scores: take("oracle.scores", Float64Array),
      }
    : null;
  const tensors: Record<string, Float32Array | Int32Array> = {};
  for (const [name, { data }] of Object.entries(remaining)) {
    if (!(data instanceof Float32Array || data instanceof Int32Array)) {
      throw new RangeError(`the tensor ${name} must have type F32 or I32`);
    }
    tensors[name] = data;
  }
  return {
    ...readRun(metadata.run),
    fingerprint: readFingerprint(metadata.fingerprint),
    tensors,
    streams: readStreams(metadata.streams),
    buffers,
    oracle,
    ...(metadata.matching !== undefined && { matching: readMatching(metadata.matching) }),
    ...(metadata.sizing !== undefined && { sizing: readSizing(metadata.sizing) }),
  };
}

/** CRC-32 of the file without its checksum. */
function checksumOf(tensors: Readonly<Record<string, StoredTensor>>, metadata: Metadata): string {
  return checksumText(encodeSafetensors(tensors, metadata));
}

function endless(iterations: number | null): number | null | "endless" {
  return iterations === Number.POSITIVE_INFINITY ? "endless" : iterations;
}
