// Tests of checkpoints in a queue: the round trip, and that damaged or unsigned ones count as nothing.

import { expect, test } from "vitest";
import { joinedInstructions, NEW_UNIT, readCheckpoint, storedCheckpoint } from "./stored-checkpoint.ts";

const KEY = "a key of this test";
const saved = { bytes: Uint8Array.of(0, 255, 7), records: [{ kl: Number.NaN }], instructions: "x64 avx" };
const read = { checkpoint: Buffer.from(saved.bytes), records: saved.records, instructions: "x64 avx" };

test("a checkpoint comes out as it went in, with a key and without", () => {
  for (const key of [null, KEY]) {
    expect(readCheckpoint(storedCheckpoint("id", saved, key), "id", key)).toEqual(read);
  }
});

test("with a key, a checkpoint needs the signature of this unit", () => {
  const stored = storedCheckpoint("id", saved, KEY);
  for (const forged of [
    storedCheckpoint("id", saved, null),
    storedCheckpoint("other", saved, KEY),
    { ...stored, bytes: "AAAA" },
    { ...stored, records: "[]" },
    { ...stored, instructions: "x64" },
  ]) {
    expect(readCheckpoint(forged, "id", KEY)).toBe(NEW_UNIT);
  }
});

test.each<[string, unknown]>([
  ["undefined", undefined],
  ["a number", 3],
  ["bytes that are no text", { bytes: [1], records: "[]", instructions: "", signature: "" }],
  ["records that are no list", { bytes: "", records: "{}", instructions: "", signature: "" }],
  ["records that are no JSON", { bytes: "", records: "[", instructions: "", signature: "" }],
])("%s counts as nothing", (_, stored) => {
  expect(readCheckpoint(stored, "id", null)).toBe(NEW_UNIT);
});

test("a result names every instruction set in turn", () => {
  expect(joinedInstructions(null, "a")).toBe("a");
  expect(joinedInstructions("a", "a")).toBe("a");
  expect(joinedInstructions("a", "b")).toBe("a + b");
  expect(joinedInstructions("a + b", "b")).toBe("a + b");
});
