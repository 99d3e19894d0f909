// A playground file: the result of a training in the playground as one JSON file, which `gflownet import` makes a run of.
//
// It is written in a browser. Files come from strangers, so everything is checked when one is read; whether config,
// checkpoint and metrics fit each other is checked by `src/run/import-run.ts`.

import { show, UserError } from "../issues.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { finiteJson } from "./finite-json.ts";

export const PLAYGROUND_FORMAT = "gflownet-playground";
/** Version of the format. Increased with every change that other versions cannot read. */
export const PLAYGROUND_VERSION = 1;

/** The kinds of events that a file may have. */
export const PLAYGROUND_EVENTS = ["start", "plan", "iteration", "evaluation", "end"] as const;

/** The content of a file that an option of the task names. */
export interface PlaygroundData {
  /** The name of the visitor's file, without a path. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The content of a playground file. */
export interface PlaygroundFile {
  /** A config as in `config.json`: the task, its options and the settings of training. */
  readonly config: Readonly<Record<string, unknown>>;
  /** By the option that would name a file: `scores` of the task `table`, `picture` of the task `hypergrid`. */
  readonly data?: Readonly<Record<string, PlaygroundData>>;
  /** The bytes of `encodeCheckpoint`. */
  readonly checkpoint: Uint8Array;
  /** The events of `train` without checkpoints, as in `metrics.jsonl`. */
  readonly metrics: readonly PlaygroundEvent[];
}

export interface PlaygroundEvent {
  readonly kind: string;
}

/** The text of a playground file. */
export function writePlaygroundFile({ config, data = {}, checkpoint, metrics }: PlaygroundFile): string {
  const contents = Object.entries(data).map(([option, { name, bytes }]) => [
    option,
    { name, content: encodeBase64(bytes) },
  ]);
  return `${finiteJson({
    format: PLAYGROUND_FORMAT,
    version: PLAYGROUND_VERSION,
    config,
    ...(contents.length > 0 && { data: Object.fromEntries(contents) }),
    checkpoint: encodeBase64(checkpoint),
    metrics,
  })}\n`;
}

/** Reads the text of a playground file. `source` is its name in errors. Throws a UserError that names the wrong field. */
export function readPlaygroundFile(text: string, source: string): PlaygroundFile {
  const fail = (message: string, cause?: unknown): never => {
    throw new UserError(message, { source, cause });
  };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    return fail(`it is not a whole JSON file: ${reason}; download it from the playground again`, error);
  }
  if (!isObject(value) || value.format !== PLAYGROUND_FORMAT) {
    return fail(
      `it must be a result of the playground, with "format": ${show(PLAYGROUND_FORMAT)}; download one there`,
    );
  }
  if (value.version !== PLAYGROUND_VERSION) {
    const remedy =
      Number.isInteger(value.version) && (value.version as number) > PLAYGROUND_VERSION
        ? "use a newer gflownet"
        : "download it from the playground again";
    fail(`its version must be ${PLAYGROUND_VERSION}, got ${show(value.version)}; ${remedy}`);
  }
  const { config, data = {}, checkpoint, metrics } = value;
  if (!isObject(config)) return fail(`config must be an object of settings, got ${show(config)}`);
  if (!isObject(data)) return fail(`data must be an object of files, got ${show(data)}`);
  if (!Array.isArray(metrics)) return fail(`metrics must be a list of events, got ${show(metrics)}`);
  const bytes = typeof checkpoint === "string" ? decodeBase64(checkpoint) : null;
  if (!bytes) return fail(`checkpoint must be a text in base64, got ${show(checkpoint)}`);
  return {
    config,
    data: Object.fromEntries(
      Object.entries(data).map(([option, file]) => [option, dataOf(file) ?? fail(wrongData(option, file))]),
    ),
    checkpoint: bytes,
    metrics: metrics.map((event: unknown, i) =>
      isEvent(event)
        ? event
        : fail(
            `metrics[${i}] must be an event, an object whose kind is ${PLAYGROUND_EVENTS.join(", ")}, got ${show(event)}`,
          ),
    ),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEvent(value: unknown): value is PlaygroundEvent {
  return isObject(value) && (PLAYGROUND_EVENTS as readonly unknown[]).includes(value.kind);
}

function dataOf(file: unknown): PlaygroundData | null {
  if (!isObject(file) || typeof file.name !== "string" || typeof file.content !== "string") return null;
  const bytes = decodeBase64(file.content);
  return bytes && { name: file.name, bytes };
}

function wrongData(option: string, file: unknown): string {
  return `data must have a name and a content in base64 for ${show(option)}, got ${show(file)}`;
}
