// Units and results as they are in the queue. Both may come from a stranger who can reach the broker, so everything is checked
// when it is read. Texts are stored instead of objects, because a database may reorder the keys of an object.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isObject, jsonText, parseJson } from "../executor/json-text.ts";
import type { Json, Provenance, Unit, UnitResult } from "../executor/unit.ts";

/** Most characters of a unit. */
export const LARGEST_UNIT = 64 * 1024;
/** Most characters of a result. */
export const LARGEST_RESULT = 64 * 1024 * 1024;
const FORMAT = "gflownet-unit";

/** A unit with its identity: equal work has an equal id, and another version of this package has other ids. */
export interface Payload {
  readonly id: string;
  readonly text: string;
}

export function payloadOf({ kind, settings, inputs = {} }: Unit, version: string): Payload {
  const text = jsonText({ format: FORMAT, version, kind, settings, inputs });
  if (text.length > LARGEST_UNIT) {
    throw new RangeError(`a unit must have at most ${LARGEST_UNIT} characters, got ${text.length}`);
  }
  return { id: sha256(text), text };
}

/** A payload that is not what it should be. Its unit can never run. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
}

/** The unit in a text from the queue. Throws a PayloadError with the reason. */
export function readPayload(text: unknown, id: string, version: string): Unit {
  if (typeof text !== "string") throw new PayloadError("the unit must be a text");
  if (text.length > LARGEST_UNIT) {
    throw new PayloadError(`the unit must have at most ${LARGEST_UNIT} characters, got ${text.length}`);
  }
  if (sha256(text) !== id) throw new PayloadError("the unit must have the SHA-256 of its text as its id");
  let given: Json;
  try {
    given = parseJson(text);
  } catch (error) {
    throw new PayloadError(`the unit must be JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isObject(given) || given.format !== FORMAT)
    throw new PayloadError(`the unit must have the format ${FORMAT}`);
  const { kind, settings, inputs } = given;
  if (given.version !== version) {
    throw new PayloadError(
      `the unit is of version ${JSON.stringify(given.version)}, and this worker of ${version}`,
    );
  }
  if (typeof kind !== "string" || !isObject(settings) || !isObject(inputs)) {
    throw new PayloadError("the unit must have a kind, settings and inputs");
  }
  const wrong = Object.entries(inputs).find(
    ([, hash]) => typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash),
  );
  if (wrong) throw new PayloadError(`the input ${JSON.stringify(wrong[0])} must be a SHA-256`);
  return { kind, settings, inputs: inputs as Record<string, string> };
}

/** A result as a worker returns it. */
export interface StoredResult {
  /** Records and provenance as JSON. */
  readonly text: string;
  /** HMAC of the id and the text; empty without a key. */
  readonly signature: string;
}

export function storedResult(id: string, result: UnitResult, key: string | null): StoredResult {
  const text = jsonText({ records: result.records, provenance: { ...result.provenance } });
  if (text.length > LARGEST_RESULT) {
    throw new PayloadError(
      `the result of a unit must have at most ${LARGEST_RESULT} characters, got ${text.length}`,
    );
  }
  return { text, signature: key === null ? "" : signatureOf(id, text, key) };
}

/** The result of a unit. Throws a PayloadError if it is damaged, or not signed with the key. */
export function readResult(stored: unknown, id: string, key: string | null): UnitResult {
  if (!isObject(stored) || typeof stored.text !== "string" || typeof stored.signature !== "string") {
    throw new PayloadError("the result has an unknown form");
  }
  const { text, signature } = stored;
  if (text.length > LARGEST_RESULT) throw new PayloadError("the result is too long");
  if (key !== null && !isEqual(signature, signatureOf(id, text, key))) {
    throw new PayloadError("the result is not signed with the key of this queue; workers need the same key");
  }
  let given: Json;
  try {
    given = parseJson(text);
  } catch (error) {
    throw new PayloadError(`the result is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isObject(given) || !Array.isArray(given.records) || !isProvenance(given.provenance)) {
    throw new PayloadError("the result has no records or does not say what computed it");
  }
  return { records: given.records, provenance: given.provenance };
}

/**
 * A hash of the records of a result without measured times: values with the name `seconds`. Equal units that were computed in
 * equal circumstances must have equal hashes.
 */
export function recordsHash(records: readonly Json[]): string {
  return sha256(jsonText(withoutTimes(records)));
}

function withoutTimes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "seconds");
  return Object.fromEntries(entries.map(([name, part]) => [name, withoutTimes(part as Json)]));
}

/** Whether data from the queue say what computed a result. */
export function isProvenance(value: Json | undefined): value is Json & Provenance {
  if (!isObject(value)) return false;
  const { version, engine, threads, instructions } = value;
  return (
    typeof version === "string" &&
    (engine === null || typeof engine === "string") &&
    typeof threads === "number" &&
    typeof instructions === "string"
  );
}

/** The signature of a text that belongs to a unit. */
export function signatureOf(id: string, text: string, key: string): string {
  return createHmac("sha256", key).update(`${id}\n${text}`).digest("hex");
}

/** Compares signatures in a time that does not depend on them. */
export function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
