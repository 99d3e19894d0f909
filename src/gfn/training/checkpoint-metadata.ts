// Parses and validates the metadata of a checkpoint. The checksum detects damage; these checks detect files that another
// program wrote. All functions throw a RangeError that names the wrong field.

import type { RandomState } from "../../engine/index.ts";
import type { SavedSizing } from "./batch-sizing.ts";
import { NO_DRAWS, type SavedMatching } from "./mean-matching.ts";
import { type Plan, planProblem } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";

type Json = Readonly<Record<string, unknown>>;

export function readVersion(text: string | undefined, supported: number): void {
  if (text !== `${supported}`) throw wrong("version", text);
}

export function readRun(
  text: string | undefined,
): Pick<Snapshot, "iteration" | "iterations" | "plan" | "seconds" | "evaluated"> {
  const { iteration, iterations, plan, seconds, evaluated } = parse("run", text);
  const planned = iterations === "endless" ? Number.POSITIVE_INFINITY : iterations;
  if (!isWhole(iteration)) throw wrong("iteration", iteration);
  if (planned !== null && planned !== Number.POSITIVE_INFINITY && !isWhole(planned)) {
    throw wrong("iterations", iterations);
  }
  if (plan !== undefined && planProblem(plan) !== null) throw wrong("plan", plan);
  if (typeof seconds !== "number" || !(seconds >= 0)) throw wrong("seconds", seconds);
  if (typeof evaluated !== "boolean") throw wrong("evaluated", evaluated);
  const made = plan === undefined ? {} : { plan: plan as Plan };
  return { iteration, iterations: planned as number | null, ...made, seconds, evaluated };
}

export function readFingerprint(text: string | undefined): Record<string, string> {
  const fingerprint = parse("fingerprint", text);
  for (const [name, value] of Object.entries(fingerprint))
    if (typeof value !== "string") throw wrong(name, value);
  return fingerprint as Record<string, string>;
}

export function readStreams(text: string | undefined): Record<string, RandomState> {
  const streams = parse("streams", text);
  for (const [name, value] of Object.entries(streams)) {
    const { key, words } = (value ?? {}) as Json;
    // A generator whose words are all 0 would only return 0.
    const isUsable = Array.isArray(words) && words.some((word) => word !== 0);
    if (!isWords(key, 2) || !isWords(words, 4) || !isUsable) throw wrong(`random stream ${name}`, value);
  }
  return streams as unknown as Record<string, RandomState>;
}

/** Number of trajectories that were ever added to each replay buffer. */
export function readBuffers(text: string | undefined): Record<string, number> {
  const buffers = parse("buffers", text);
  for (const [name, added] of Object.entries(buffers))
    if (!isWhole(added)) throw wrong(`buffer ${name}`, added);
  return buffers as Record<string, number>;
}

/** The state of mean matching. */
export function readMatching(text: string): SavedMatching {
  const matching = parse("matching", text);
  for (const name of Object.keys(NO_DRAWS)) {
    if (!Number.isFinite(matching[name])) throw wrong(name, matching[name]);
  }
  return matching as unknown as SavedMatching;
}

/** What decides about the size of the next program. */
export function readSizing(text: string): SavedSizing {
  const { iterations, sizes, batches } = parse("sizing", text);
  const isSize = (value: unknown, isRows: (rows: unknown) => boolean) => {
    const { steps, rows } = (value ?? {}) as Json;
    return isWhole(steps) && steps > 0 && isRows(rows);
  };
  if (!isWhole(iterations)) throw wrong("sizing", iterations);
  const isProgram = (size: unknown) => isSize(size, (rows) => rows === undefined || isWhole(rows));
  if (!Array.isArray(sizes) || ![0, 2].includes(sizes.length) || !sizes.every(isProgram)) {
    throw wrong("sizing", sizes);
  }
  if (!Array.isArray(batches) || !batches.every((each) => isSize(each, isWhole)))
    throw wrong("sizing", batches);
  return { iterations, sizes, batches };
}

export function readObjects(bytes: Uint8Array): string[] {
  let objects: unknown;
  try {
    objects = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new RangeError("oracle.objects is not JSON");
  }
  if (Array.isArray(objects) && objects.every((object) => typeof object === "string")) return objects;
  throw new RangeError("oracle.objects is not an array of strings");
}

function parse(name: string, text: string | undefined): Json {
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch {
    throw new RangeError(`its ${name} is not JSON`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new RangeError(`its ${name} is not an object`);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isWords(value: unknown, count: number): boolean {
  return Array.isArray(value) && value.length === count && value.every((x) => isWhole(x) && x < 2 ** 32);
}

function wrong(name: string, value: unknown): RangeError {
  if (value === undefined) return new RangeError(`it has no ${name}`);
  return new RangeError(`its ${name} is invalid, got ${JSON.stringify(value).slice(0, 60)}`);
}
