// The file of a finished experiment: its name, its records, and a last line with a checksum that detects damage.

import { checksumText } from "../formats/crc32.ts";
import { formatEvent, parseEvent } from "../run/event-lines.ts";
import type { Experiment } from "./experiment-grid.ts";
import type { ExperimentRecord } from "./experiment-record.ts";

/** `stop` are the oracle calls after which the experiment was ended early. */
export function experimentFileText(
  experiment: Experiment,
  records: readonly ExperimentRecord[],
  stop?: number,
): string {
  const lines = [
    formatEvent({ kind: "experiment", ...experiment, ...(stop !== undefined && { stop }) }),
    ...records.map((record) => formatEvent({ kind: "record", ...record })),
  ].join("");
  return lines + formatEvent({ kind: "end", records: records.length, checksum: checksumOf(lines) });
}

/** The records of an experiment; null if the file is incomplete, damaged, or of another experiment. */
export function parseExperimentFile(text: string, experiment: Experiment): ExperimentRecord[] | null {
  const lastLine = text.lastIndexOf("\n", text.length - 2) + 1;
  const [lines, last] = [text.slice(0, lastLine), text.slice(lastLine)];
  const end = parseLine(last);
  if (!text.endsWith("\n") || end?.kind !== "end" || end.checksum !== checksumOf(lines)) return null;
  const [head, ...records] = lines.split("\n").slice(0, -1).map(parseLine);
  const isSame = (["method", "stick", "seed"] as const).every((name) => head?.[name] === experiment[name]);
  if (!isSame || records.length !== end.records) return null;
  return records.map((line) => {
    const { kind: _, ...record } = line as Readonly<Record<string, unknown>>;
    return record as unknown as ExperimentRecord;
  });
}

/** The oracle calls after which an experiment was ended early; undefined if it was not. */
export function stopOf(text: string): number | undefined {
  const stop = parseLine(text.slice(0, text.indexOf("\n")))?.stop;
  return typeof stop === "number" ? stop : undefined;
}

function parseLine(line: string): Readonly<Record<string, unknown>> | null {
  return parseEvent(line) as Readonly<Record<string, unknown>> | null;
}

function checksumOf(text: string): string {
  return checksumText(new TextEncoder().encode(text));
}
