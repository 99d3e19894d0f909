// The checkpoint of a unit as it is in the queue, for the worker that continues the unit. It is signed like a result, because
// the result depends on it.

import { isObject, jsonText, parseJson } from "../executor/json-text.ts";
import type { Json } from "../executor/unit.ts";
import { isEqual, signatureOf } from "./payload.ts";

export interface StoredCheckpoint {
  /** In base64. */
  readonly bytes: string;
  /** The records of the unit so far, as JSON. */
  readonly records: string;
  /** Instruction sets of the machines that have computed it, separated by " + ". */
  readonly instructions: string;
  /** HMAC of the id and all of these; empty without a key. */
  readonly signature: string;
}

/** A unit so far. */
export interface SavedUnit {
  readonly checkpoint: Uint8Array | null;
  readonly records: readonly Json[];
  readonly instructions: string | null;
}

export const NEW_UNIT: SavedUnit = { checkpoint: null, records: [], instructions: null };

export function storedCheckpoint(
  id: string,
  saved: { readonly bytes: Uint8Array; readonly records: readonly Json[]; readonly instructions: string },
  key: string | null,
): StoredCheckpoint {
  const content = {
    bytes: Buffer.from(saved.bytes).toString("base64"),
    records: jsonText(saved.records),
    instructions: saved.instructions,
  };
  return { ...content, signature: key === null ? "" : signatureOf(id, signedText(content), key) };
}

/** What an earlier worker left of a unit. Damaged data, and data without the right signature, count as nothing. */
export function readCheckpoint(stored: unknown, id: string, key: string | null): SavedUnit {
  if (!isObject(stored)) return NEW_UNIT;
  const { bytes, records, instructions, signature } = stored;
  if (typeof bytes !== "string" || typeof records !== "string") return NEW_UNIT;
  if (typeof instructions !== "string" || typeof signature !== "string") return NEW_UNIT;
  const expected = key === null ? null : signatureOf(id, signedText({ bytes, records, instructions }), key);
  if (expected !== null && !isEqual(signature, expected)) return NEW_UNIT;
  try {
    const parsed = parseJson(records);
    if (!Array.isArray(parsed)) return NEW_UNIT;
    return { checkpoint: Buffer.from(bytes, "base64"), records: parsed, instructions };
  } catch {
    return NEW_UNIT;
  }
}

/** The instruction sets of a result, if a unit was continued here: one if they are equal. */
export function joinedInstructions(earlier: string | null, here: string): string {
  return earlier === null || earlier.split(" + ").at(-1) === here
    ? (earlier ?? here)
    : `${earlier} + ${here}`;
}

/** The signature of a result is over JSON, which never begins like this. */
function signedText({ bytes, records, instructions }: Omit<StoredCheckpoint, "signature">): string {
  return ["checkpoint", instructions, bytes, records].join("\n");
}
