// The numbers of one line of a metrics file: where the line stands on each x axis, and the values of its metrics.

import { field } from "../report/event-fields.ts";
import { parseEvent } from "../run/event-lines.ts";
import { METRICS, type Metric } from "./metric-list.ts";

/** What lines a file has: events of a run, or records of an experiment. */
export type LineFormat = "events" | "records";

/** Receives the numbers of a line. `at` comes first. Values are finite, because others cannot be drawn. */
export interface ValueSink {
  /** Where the line stands; NaN for what it does not say. */
  at(iteration: number, calls: number, seconds: number): void;
  value(metric: Metric, value: number): void;
  /** Values of the best reachable and of the uniform policy. */
  limit?(metric: Metric, value: number): void;
  uniform?(metric: Metric, value: number): void;
}

type Json = Readonly<Record<string, unknown>>;

const ofKind = (kind: "iteration" | "evaluation") => METRICS.filter(({ event }) => event?.[0] === kind);
/** With the key of each in an event. Loops over plain arrays, because files have millions of these events. */
const ITERATION_METRICS = ofKind("iteration").map((metric) => [metric, metric.event![1]] as const);
const EVALUATION_METRICS = ofKind("evaluation");
const RECORD_METRICS = METRICS.filter(({ record }) => record);

/** Reads a line. One without numbers, and one that is no event, gives nothing. */
export function readLine(line: string, format: LineFormat, sink: ValueSink): void {
  const event = parseEvent(line) as Json | null;
  if (event) readEvent(event, format, sink);
}

export function readEvent(event: Json, format: LineFormat, sink: ValueSink): void {
  // The end of a run is later than its last iteration by an assessment, so it says nothing about iterations.
  const { iteration } = event;
  if (typeof iteration !== "number" || (format === "records") !== (event.kind === "record")) return;
  sink.at(iteration, number(event.calls ?? event.oracleCalls), number(event.seconds));
  if (event.kind === "iteration") {
    for (const [metric, name] of ITERATION_METRICS) {
      const value = event[name];
      if (typeof value === "number" && Number.isFinite(value)) sink.value(metric, value);
    }
  } else if (event.kind === "evaluation") readEvaluation(event, sink);
  else if (event.kind === "record") readRecord(event, sink);
}

function readEvaluation(event: Json, sink: ValueSink): void {
  for (const metric of EVALUATION_METRICS) {
    const value = field(event, ...metric.event!.slice(1));
    if (Number.isFinite(value)) sink.value(metric, value);
    const limit = metric.limit ? field(event, ...metric.limit) : Number.NaN;
    if (Number.isFinite(limit)) sink.limit?.(metric, limit);
    const uniform = metric.uniform ? field(event, ...metric.uniform) : Number.NaN;
    if (Number.isFinite(uniform)) sink.uniform?.(metric, uniform);
  }
}

function readRecord(record: Json, sink: ValueSink): void {
  const at = (name: string | undefined) => (name ? number(record[name]) : Number.NaN);
  for (const metric of RECORD_METRICS) {
    const { value, limit, uniform } = metric.record!;
    if (Number.isFinite(at(value))) sink.value(metric, at(value));
    if (Number.isFinite(at(limit))) sink.limit?.(metric, at(limit));
    if (Number.isFinite(at(uniform))) sink.uniform?.(metric, at(uniform));
  }
}

function number(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}
