// Snapshots through bytes: what comes back, what is refused, and hundreds of damaged files.

import { describe, expect, test } from "vitest";
import { mutations } from "../../test/support/mutations.ts";
import { ModelFileError } from "../engine/index.ts";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";
import { crc32 } from "./checksum.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "./safetensors.ts";
import type { Snapshot } from "./snapshot.ts";

const state = (first: number) => ({ key: [first, 7], words: [0, 1, 2 ** 32 - 1, 5] }) as const;

const snapshot: Snapshot = {
  iteration: 41,
  iterations: 100,
  seconds: 0.1 + 0.2,
  evaluated: false,
  about: { environment: "strings “of” letters", seed: "3", "policy.network.weight": "[2]" },
  tensors: {
    policy: Float32Array.of(1.5, -0),
    "policy.m": Float32Array.of(1e-40, 0),
    "policy.v": Float32Array.of(3e38, 0),
    "policy.step": Int32Array.of(41),
  },
  streams: { rollout: state(1), replay: state(2) },
  buffers: {
    replay: {
      added: 9,
      actions: Int32Array.of(0, 1, -1, 2),
      outcomes: Int32Array.of(1, 1, -1, 0),
      scores: Float64Array.of(0.1, 0.2),
    },
    dynamics: { added: 0, actions: new Int32Array(), outcomes: new Int32Array(), scores: new Float64Array() },
  },
  oracle: {
    objects: ["AC", "", 'a "b"\n', "\u{1f600}", "\ud800", "ACA"],
    scores: new Float64Array(6).fill(0.3),
  },
};
const bytes = encodeCheckpoint(snapshot);
const read = (damaged: Uint8Array) => decodeCheckpoint(damaged, "run/last.safetensors");

/** The same file with other contents and a checksum that fits. */
function forged(
  change: (metadata: Record<string, string>, tensors: Record<string, StoredTensor>) => void,
): Uint8Array {
  const { tensors, metadata } = decodeSafetensors(bytes, "x");
  const { checksum, ...rest } = metadata;
  const all = { ...tensors };
  change(rest, all);
  return encodeSafetensors(all, {
    ...rest,
    checksum: crc32(encodeSafetensors(all, rest)).toString(16).padStart(8, "0"),
  });
}

describe("a checkpoint", () => {
  test("comes back as it was", () => {
    expect(read(bytes)).toEqual(snapshot);
    expect(read(encodeCheckpoint(read(bytes)))).toEqual(snapshot);
  });

  test.each<[string, Partial<Snapshot>]>([
    ["of a run by seconds", { iterations: null }],
    ["of an endless run", { iterations: Number.POSITIVE_INFINITY }],
    ["without buffers and scores asked for", { buffers: {}, oracle: null }],
    ["before anything was asked", { oracle: { objects: [], scores: new Float64Array(0) } }],
  ])("%s comes back as it was", (_, changes) => {
    expect(read(encodeCheckpoint({ ...snapshot, ...changes }))).toEqual({ ...snapshot, ...changes });
  });

  test("is a safetensors file that says what it is, and its weights are there by name", () => {
    const { tensors, metadata } = decodeSafetensors(bytes, "x");
    expect(metadata).toMatchObject({ library: "gflownet", kind: "checkpoint", version: "1" });
    expect(tensors.policy).toEqual({ dtype: "F32", shape: [2], data: snapshot.tensors.policy });
    expect(tensors["policy.step"]).toEqual({ dtype: "I32", shape: [], data: Int32Array.of(41) });
    expect(tensors["buffer.replay.actions"].shape).toEqual([2, 2]);
  });
});

describe("a checkpoint is refused in one sentence:", () => {
  const set = (name: string, value: unknown) =>
    forged((metadata) => {
      metadata[name] = typeof value === "string" ? value : JSON.stringify(value);
    });
  const streams = (stream: unknown) => set("streams", { rollout: stream });
  const run = (changes: object) =>
    set("run", { iteration: 1, iterations: 2, seconds: 3, evaluated: true, ...changes });
  test.each<[string, Uint8Array, string]>([
    [
      "of a later version",
      set("version", "2"),
      "is a checkpoint of version 2, and this gflownet reads up to version 1",
    ],
    ["of no version", set("version", "one"), 'its version cannot be "one"'],
    ["tensors of others", encodeSafetensors({}, { format: "pt" }), "but not a checkpoint of gflownet"],
    ["something else of ours", set("kind", "policy"), "but not a checkpoint of gflownet"],
    ["half a file", bytes.subarray(0, bytes.length / 2), "is not a whole safetensors file"],
    ["a run that is a list", set("run", []), "its run is not an object"],
    ["a run that is no JSON", set("run", "{"), "its run is not JSON"],
    ["half an iteration", run({ iteration: 0.5 }), "its iteration cannot be 0.5"],
    ["no iteration", run({ iteration: undefined }), "it has no iteration"],
    ["iterations below 0", run({ iterations: -1 }), "its iterations cannot be -1"],
    ["no time", run({ seconds: null }), "its seconds cannot be null"],
    ["half an evaluation", run({ evaluated: 0.5 }), "its evaluated cannot be 0.5"],
    ["numbers in words", set("about", { seed: 3 }), "its seed cannot be 3"],
    ["an empty stream", streams(null), "its random stream rollout cannot be null"],
    [
      "a stream that stands still",
      streams({ key: [1, 2], words: [0, 0, 0, 0] }),
      "its random stream rollout cannot be",
    ],
    [
      "a stream of large words",
      streams({ key: [1, 2], words: [1, 0, 0, 2 ** 32] }),
      "its random stream rollout",
    ],
    ["a buffer below 0", set("buffers", { replay: -1 }), "its buffer replay cannot be -1"],
    ["a buffer that is not there", set("buffers", { other: 3 }), "it lacks buffer.other.actions"],
    [
      "a buffer that is not named",
      set("buffers", {}),
      "buffer.dynamics.scores is of a type that no weights have",
    ],
    [
      "scores of another type",
      forged((_, tensors) => {
        tensors["oracle.scores"] = { dtype: "F32", shape: [1], data: Float32Array.of(1) };
      }),
      "it lacks oracle.scores, or it is of another type",
    ],
    [
      "objects that are numbers",
      forged((_, tensors) => {
        tensors["oracle.objects"] = { dtype: "U8", shape: [3], data: new TextEncoder().encode("[1]") };
      }),
      "oracle.objects is not a list of texts",
    ],
  ])("%s", (_, damaged, message) => {
    expect(() => read(damaged)).toThrow(ModelFileError);
    expect(() => read(damaged)).toThrow(/^run\/last\.safetensors is [^\n]{1,150}\.$/);
    expect(() => read(damaged)).toThrow(message);
  });
});

describe("damage to a checkpoint is found:", () => {
  test("every flipped bit of the numbers", () => {
    const header = 8 + new DataView(bytes.buffer).getUint32(0, true);
    for (let at = header; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] ^= 1 << (at % 8);
      expect(() => read(damaged)).toThrow(
        "run/last.safetensors is a damaged checkpoint: its checksum is wrong.",
      );
    }
  });

  test("every place to cut it", () => {
    for (let size = 0; size < bytes.length; size++) {
      expect(() => read(bytes.subarray(0, size))).toThrow(ModelFileError);
    }
  });

  test("anything at random, unless it makes no difference", () => {
    let refused = 0;
    for (const damaged of mutations(bytes, 1500, 2)) {
      let result: Snapshot | undefined;
      try {
        result = read(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(ModelFileError);
        refused++;
      }
      if (result) expect(result).toEqual(snapshot);
    }
    expect(refused).toBeGreaterThan(1300);
  });
});
