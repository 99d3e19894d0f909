// Tests of units and results in a queue: identity, limits, and one sentence for everything that may be wrong with them.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Json, UnitResult } from "../executor/unit.ts";
import { PayloadError, payloadOf, readPayload, readResult, recordsHash, storedResult } from "./payload.ts";

const unit = { kind: "wait", settings: { name: "a", time: 1 }, inputs: { table: "0".repeat(64) } };
const KEY = "a key of this test";
const provenance = { version: "1.0.0", engine: null, threads: 1, instructions: "x64" };
const result: UnitResult = { records: [{ kl: Number.NaN, seconds: 3 }], provenance };
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("a unit comes out as it went in, and equal units have equal ids", () => {
  const { id, text } = payloadOf(unit, "1.0.0");
  expect(id).toBe(sha256(text));
  expect(readPayload(text, id, "1.0.0")).toEqual(unit);
  const other = { inputs: unit.inputs, settings: { time: 1, name: "a" }, kind: "wait" };
  expect(payloadOf(other, "1.0.0").id).toBe(id);
});

test("another version, kind, setting or input is another unit", () => {
  const ids = [
    payloadOf(unit, "1.0.0"),
    payloadOf(unit, "1.0.1"),
    payloadOf({ ...unit, kind: "rest" }, "1.0.0"),
    payloadOf({ ...unit, settings: { name: "a", time: 2 } }, "1.0.0"),
    payloadOf({ ...unit, inputs: {} }, "1.0.0"),
  ].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a unit that is too large is not sent", () => {
  const large = { kind: "wait", settings: { name: "a".repeat(70_000) } };
  expect(() => payloadOf(large, "1.0.0")).toThrow(
    /^a unit must have at most 65536 characters, got 70\d\d\d$/,
  );
});

const poisoned = (change: Record<string, unknown>) =>
  JSON.stringify({ format: "gflownet-unit", version: "1.0.0", ...unit, ...change });

test.each<[string, unknown, RegExp]>([
  ["no text", { kind: "wait" }, /must be a text/],
  ["no JSON", "{", /must be JSON/],
  ["a list", "[]", /must have the format gflownet-unit/],
  ["another format", poisoned({ format: "x" }), /must have the format/],
  ["another version", poisoned({ version: "9.9.9" }), /is of version "9\.9\.9", and this worker of 1\.0\.0/],
  ["no kind", poisoned({ kind: 3 }), /must have a kind, settings and inputs/],
  ["a list of settings", poisoned({ settings: [] }), /must have a kind, settings and inputs/],
  ["no inputs", poisoned({ inputs: null }), /must have a kind, settings and inputs/],
  [
    "a path as input",
    poisoned({ inputs: { table: "../../etc/passwd" } }),
    /the input "table" must be a SHA-256/,
  ],
  ["too much text", poisoned({ settings: { a: "x".repeat(70_000) } }), /at most 65536 characters, got 7/],
])("a payload with %s is refused with a sentence", (_, text, sentence) => {
  const read = () => readPayload(text, typeof text === "string" ? sha256(text) : "", "1.0.0");
  expect(read).toThrow(PayloadError);
  expect(read).toThrow(sentence);
});

test("a payload under the id of another unit is refused", () => {
  const { text } = payloadOf(unit, "1.0.0");
  const { id } = payloadOf({ ...unit, kind: "other" }, "1.0.0");
  expect(() => readPayload(text, id, "1.0.0")).toThrow("must have the SHA-256 of its text as its id");
});

test("a result comes out as it went in, with a key and without", () => {
  for (const key of [null, KEY])
    expect(readResult(storedResult("id", result, key), "id", key)).toEqual(result);
});

test("with a key, a result needs the signature of this unit by this key", () => {
  const refused = "the result is not signed with the key of this queue; workers need the same key";
  const stored = storedResult("id", result, KEY);
  const forged = { ...stored, text: stored.text.replace("x64", "x65") };
  expect(() => readResult(storedResult("id", result, null), "id", KEY)).toThrow(refused);
  expect(() => readResult(storedResult("id", result, "another key"), "id", KEY)).toThrow(refused);
  expect(() => readResult(storedResult("other", result, KEY), "id", KEY)).toThrow(refused);
  expect(() => readResult(forged, "id", KEY)).toThrow(refused);
});

test.each<[string, unknown, RegExp]>([
  ["null", null, /has an unknown form/],
  ["a text", "finished", /has an unknown form/],
  ["no signature", { text: "{}" }, /has an unknown form/],
  ["no JSON", { text: "{", signature: "" }, /is not JSON/],
  ["no records", { text: "{}", signature: "" }, /has no records or does not say what computed it/],
  ["no provenance", { text: '{"records":[]}', signature: "" }, /has no records or does not say/],
])("a result that is %s is refused with a sentence", (_, stored, sentence) => {
  const read = () => readResult(stored, "id", null);
  expect(read).toThrow(PayloadError);
  expect(read).toThrow(sentence);
});

test("measured times do not change the hash of records, and nothing else is left out", () => {
  const hash = (record: Json) => recordsHash([record]);
  expect(hash({ kl: 1, seconds: 2, inner: { seconds: 3 } })).toBe(
    hash({ inner: { seconds: 4 }, kl: 1, seconds: 5 }),
  );
  expect(hash({ kl: 1 })).not.toBe(hash({ kl: 1 + 2 ** -52 }));
});
