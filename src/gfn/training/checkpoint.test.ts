// Round trips of snapshots through bytes, invalid checkpoints, and hundreds of damaged files.

import { describe, expect, test } from "vitest";
import { mutations } from "../../../test/support/mutations.ts";
import { ModelFileError } from "../../engine/index.ts";
import { checksumText } from "../../formats/crc32.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "../../formats/safetensors.ts";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";
import type { Snapshot } from "./snapshot.ts";

const state = (first: number) => ({ key: [first, 7], words: [0, 1, 2 ** 32 - 1, 5] }) as const;

const snapshot: Snapshot = {
  iteration: 41,
  iterations: 100,
  seconds: 0.1 + 0.2,
  evaluated: false,
  fingerprint: { environment: "strings “of” letters", seed: "3", "policy.network.weight": "[2]" },
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
  matching: {
    uniformDraws: 3,
    scores: 0.1 + 0.2,
    logLargestRatio: 16.635532,
    weights: 1 / 3,
    squaredWeights: 1e-300,
    weightedScores: 2.5,
    logFactor: 0.7,
  },
};
const bytes = encodeCheckpoint(snapshot);
const read = (damaged: Uint8Array) => decodeCheckpoint(damaged, "run/last.safetensors");

/** The same file with changed contents and a correct checksum. */
function forged(
  change: (metadata: Record<string, string>, tensors: Record<string, StoredTensor>) => void,
): Uint8Array {
  const { tensors, metadata } = decodeSafetensors(bytes, "x");
  const { checksum, ...rest } = metadata;
  const all = { ...tensors };
  change(rest, all);
  return encodeSafetensors(all, {
    ...rest,
    checksum: checksumText(encodeSafetensors(all, rest)),
  });
}

describe("a checkpoint", () => {
  test("survives a round trip", () => {
    expect(read(bytes)).toEqual(snapshot);
    expect(read(encodeCheckpoint(read(bytes)))).toEqual(snapshot);
  });

  test.each<[string, Partial<Snapshot>]>([
    [
      "of a run by seconds",
      {
        iterations: null,
        plan: [{ iteration: 1, iterations: 7, anchor: 0, progress: 1 / 3, evaluateEvery: null }],
      },
    ],
    ["of a run by seconds without a plan", { iterations: null, plan: [] }],
    ["of an endless run", { iterations: Number.POSITIVE_INFINITY }],
    ["without buffers and oracle", { buffers: {}, oracle: null }],
    ["without mean matching", { matching: undefined }],
    ["with an empty oracle", { oracle: { objects: [], scores: new Float64Array(0) } }],
  ])("%s survives a round trip", (_, changes) => {
    expect(read(encodeCheckpoint({ ...snapshot, ...changes }))).toEqual({ ...snapshot, ...changes });
  });

  test("is a safetensors file with identifying metadata, and its weights have their names", () => {
    const { tensors, metadata } = decodeSafetensors(bytes, "x");
    expect(metadata).toMatchObject({ library: "gflownet", kind: "checkpoint", version: "3" });
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
      set("version", "4"),
      "is a checkpoint of version 4, but this gflownet reads version 3 only; use a newer gflownet.",
    ],
    [
      "of an earlier version",
      set("version", "1"),
      "is a checkpoint of version 1, but this gflownet reads version 3 only; train the run again.",
    ],
    ["without a version number", set("version", "one"), 'its version is invalid, got "one"'],
    [
      "tensors of another program",
      encodeSafetensors({}, { format: "pt" }),
      "but not a checkpoint of gflownet",
    ],
    ["another file of this library", set("kind", "policy"), "but not a checkpoint of gflownet"],
    ["half a file", bytes.subarray(0, bytes.length / 2), "is not a valid safetensors file"],
    ["a run that is an array", set("run", []), "its run is not an object"],
    ["a run that is not JSON", set("run", "{"), "its run is not JSON"],
    ["a fractional iteration", run({ iteration: 0.5 }), "its iteration is invalid, got 0.5"],
    ["no iteration", run({ iteration: undefined }), "it has no iteration"],
    ["negative iterations", run({ iterations: -1 }), "its iterations is invalid, got -1"],
    ["a plan of nothing", run({ plan: [{}] }), "its plan is invalid, got [{}]"],
    ["seconds of null", run({ seconds: null }), "its seconds is invalid, got null"],
    ["evaluated as a number", run({ evaluated: 0.5 }), "its evaluated is invalid, got 0.5"],
    ["a fingerprint with a number", set("fingerprint", { seed: 3 }), "its seed is invalid, got 3"],
    ["an empty stream", streams(null), "its random stream rollout is invalid, got null"],
    [
      "a stream whose words are all 0",
      streams({ key: [1, 2], words: [0, 0, 0, 0] }),
      "its random stream rollout is invalid",
    ],
    [
      "a stream with words beyond 32 bits",
      streams({ key: [1, 2], words: [1, 0, 0, 2 ** 32] }),
      "its random stream rollout",
    ],
    [
      "a buffer with a negative count",
      set("buffers", { replay: -1 }),
      "its buffer replay is invalid, got -1",
    ],
    ["a buffer without tensors", set("buffers", { other: 3 }), "it lacks the tensor buffer.other.actions"],
    [
      "a buffer without metadata",
      set("buffers", {}),
      "the tensor buffer.dynamics.scores must have type F32 or I32",
    ],
    [
      "mean matching without a sum",
      set("matching", { ...snapshot.matching, weights: undefined }),
      "it has no weights",
    ],
    [
      "scores of another type",
      forged((_, tensors) => {
        tensors["oracle.scores"] = { dtype: "F32", shape: [1], data: Float32Array.of(1) };
      }),
      "it lacks the tensor oracle.scores, or the tensor has another type",
    ],
    [
      "objects that are numbers",
      forged((_, tensors) => {
        tensors["oracle.objects"] = { dtype: "U8", shape: [3], data: new TextEncoder().encode("[1]") };
      }),
      "oracle.objects is not an array of strings",
    ],
  ])("%s", (_, damaged, message) => {
    expect(() => read(damaged)).toThrow(ModelFileError);
    expect(() => read(damaged)).toThrow(/^run\/last\.safetensors is [^\n]{1,150}\.$/);
    expect(() => read(damaged)).toThrow(message);
  });
});

describe("damage to a checkpoint is detected:", () => {
  test("every flipped bit of the tensors", () => {
    const header = 8 + new DataView(bytes.buffer).getUint32(0, true);
    for (let at = header; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] ^= 1 << (at % 8);
      expect(() => read(damaged)).toThrow(
        "run/last.safetensors is a damaged checkpoint: its checksum is wrong.",
      );
    }
  });

  test("truncation at every length", () => {
    for (let size = 0; size < bytes.length; size++) {
      expect(() => read(bytes.subarray(0, size))).toThrow(ModelFileError);
    }
  });

  test("random mutations, unless they change nothing", () => {
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
