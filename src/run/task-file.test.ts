// Tests of task files: environments survive a round trip, and damaged files are refused in one sentence.

import { describe, expect, test } from "vitest";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "../formats/safetensors.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { environment } from "../gfn/environment/plain-environment.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { decodeTask, encodeTask } from "./task-file.ts";

const board = environment({
  name: "a board",
  start: 0,
  actions: () => ["left", "right"],
  step: (right, push) => [
    { state: right, probability: push === "left" ? 0.875 : 0.125 },
    { state: right + 1, probability: push === "left" ? 0.125 : 0.875 },
  ],
  reward: (bin) => 1 + bin,
  steps: 3,
});

test("factories with options, scores and offline objects survive a round trip", () => {
  const strings = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });
  const scores = Float64Array.of(1, 2, 3, 4);
  const stored = decodeTask(
    encodeTask({ environment: strings, scores, offlineObjects: ["AB"], largestScore: 4 }),
    "file",
  );
  expect(stored).toMatchObject({ scores, offlineObjects: ["AB"], largestScore: 4 });
  expect(stored.environment).toMatchObject({ name: strings.name, alphabet: "AB", stick: 0.25 });
});

test("the tables of a plain environment survive a round trip", () => {
  const { environment: again, scores } = decodeTask(
    encodeTask({ environment: board, scores: board.scores }),
    "file",
  );
  expect(again).toMatchObject({ name: "a board", tables: board.tables });
  expect(scores).toEqual(board.scores);
});

test("a changed copy of an environment has no recipe, because a recipe would not describe the change", () => {
  const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 });
  const changed = { ...grid, describe: () => "other" };
  expect(decodeTask(encodeTask({ environment: changed, scores: null }), "file").environment).toBeNull();
  expect(decodeTask(encodeTask({ environment: grid, scores: null }), "file").environment).not.toBeNull();
});

describe("a damaged file is refused:", () => {
  const { tensors, metadata } = decodeSafetensors(
    encodeTask({ environment: board, scores: board.scores }),
    "file",
  );
  const int32 = (...data: number[]): StoredTensor => ({
    ...{ dtype: "I32", shape: [data.length], data: Int32Array.from(data) },
  });
  const changed = (name: string, change: (data: Int32Array) => void) => {
    const data = Int32Array.from(tensors[name].data as Int32Array);
    change(data);
    return { [name]: int32(...data) };
  };

  test.each<[string, Record<string, StoredTensor>, Record<string, string>, string]>([
    ["another kind", {}, { kind: "checkpoint" }, "not a task of gflownet"],
    ["another version", {}, { version: "9" }, "of version 9, but this gflownet reads version 1 only"],
    ["scores of integers", { scores: int32(1) }, {}, "its scores must have type F64"],
    ["an unknown factory", {}, { tables: "", recipe: "" }, "file is damaged"],
    ["tables without sizes", {}, { tables: "{}" }, "its header of tables has wrong sizes"],
    ["a short tensor", { "tables.targets": int32(1) }, {}, "tables.targets is missing or has another type"],
    [
      "a target that goes back",
      changed("tables.targets", (data) => data.fill(0)),
      {},
      "leads back to state 0",
    ],
    [
      "an outcome out of range",
      changed("tables.outcome", (data) => data.fill(7)),
      {},
      "an outcome is not in",
    ],
    [
      "a feature out of range",
      changed("tables.features", (data) => data.fill(99)),
      {},
      "a feature is outside",
    ],
  ])("%s", (_, otherTensors, otherMetadata, message) => {
    const bytes = encodeSafetensors({ ...tensors, ...otherTensors }, { ...metadata, ...otherMetadata });
    expect(() => decodeTask(bytes, "file")).toThrow(message);
  });
});
