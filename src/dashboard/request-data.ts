// Checks what a page sends: every request has the expected form and a limited size.

import type { Context } from "hono";
import { show } from "../issues.ts";
import { metricNamed } from "../views/metric-list.ts";
import type { SeriesRequest, TableRequest, XAxis } from "../views/page-data.ts";
import type { ViewName, ViewOptions } from "../views/view-data.ts";
import { RequestError } from "./request-error.ts";

/** Entries of one request. */
const MOST_ENTRIES = 5000;
const MOST_COLUMNS = 20_000;
const MOST_METRICS = 100;
const AXES: readonly XAxis[] = ["iteration", "calls", "seconds"];
const VIEWS: Readonly<Record<ViewName, true>> = {
  distribution: true,
  flow: true,
  dynamics: true,
  logo: true,
  grid: true,
  entropy: true,
  residuals: true,
  attention: true,
  modes: true,
  trajectories: true,
  candidates: true,
  forecast: true,
  scenario: true,
  calibration: true,
};

type Json = Readonly<Record<string, unknown>>;

/** The body of a request as an object. A page must say that it is JSON, which pages of other sites cannot without asking. */
export async function readBody(c: Context): Promise<Json> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new RequestError(415, "the body of a request must be application/json");
  }
  return objectOf(parse(await c.req.text(), "the body"), "the body");
}

export function seriesRequest(body: Json): SeriesRequest {
  return {
    entries: entriesOf(body.entries),
    metric: metricOf(body.metric),
    x: axisOf(body.x),
    columns: numberOf(body.columns, "columns", { least: 1, most: MOST_COLUMNS, isWhole: true }),
    ...optionalNumber(body, "from"),
    ...optionalNumber(body, "to"),
  };
}

export function tableRequest(body: Json): TableRequest {
  const metrics = listOf(body.metrics, "metrics", MOST_METRICS).map(metricOf);
  return { entries: entriesOf(body.entries), metrics, x: axisOf(body.x), ...optionalNumber(body, "at") };
}

/** A list of ids. */
export function entriesOf(value: unknown, most: number = MOST_ENTRIES): readonly string[] {
  const list = listOf(value, "entries", most);
  const wrong = list.find((id) => typeof id !== "string");
  if (wrong !== undefined) throw new RequestError(400, `entries must be texts, got ${show(wrong)}`);
  return [...new Set(list as readonly string[])];
}

export function viewNameOf(value: string | undefined): ViewName {
  if (value !== undefined && Object.hasOwn(VIEWS, value)) return value as ViewName;
  throw new RequestError(400, `view must be one of ${Object.keys(VIEWS).join(", ")}, got ${show(value)}`);
}

/** What a view may choose, as far as it has the expected form. The view checks the values. */
export function viewOptionsOf(text: string | undefined): ViewOptions {
  const given = text === undefined ? {} : objectOf(parse(text, "options"), "options");
  const isIndex = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const isOutcome = (value: unknown) => value === -1 || isIndex(value); // −1: a stop
  const forms: Readonly<Record<keyof ViewOptions, (value: unknown) => boolean>> = {
    path: (value) => Array.isArray(value) && value.length <= 1000 && value.every(isOutcome),
    levels: (value) => isIndex(value) && (value as number) >= 1 && (value as number) <= 10,
    axes: (value) => Array.isArray(value) && value.length === 2 && value.every(isIndex),
    fixed: (value) =>
      Array.isArray(value) && value.length <= 100 && value.every((each) => each === null || isIndex(each)),
    seed: isIndex,
    series: (value) => typeof value === "string" && value.length <= 1000,
  };
  for (const [name, value] of Object.entries(given)) {
    const isValid = Object.hasOwn(forms, name) ? forms[name as keyof ViewOptions] : null;
    if (!isValid?.(value)) throw new RequestError(400, `the option ${show(name)} cannot be ${show(value)}`);
  }
  return given as ViewOptions;
}

export function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, `${name} must be JSON, got ${show(text)}`);
  }
}

export function objectOf(value: unknown, name: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new RequestError(400, `${name} must be an object, got ${show(value)}`);
}

/** The id of one entry. */
export function idOf(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new RequestError(400, `id must be that of an entry, got ${show(value)}`);
}

function listOf(value: unknown, name: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new RequestError(400, `${name} must be a list, got ${show(value)}`);
  if (value.length <= most) return value;
  throw new RequestError(400, `${name} must have at most ${most} items, got ${value.length}`);
}

function metricOf(value: unknown): string {
  if (typeof value === "string" && metricNamed(value)) return value;
  throw new RequestError(400, `there is no metric ${show(value)}`);
}

function axisOf(value: unknown): XAxis {
  if (AXES.includes(value as XAxis)) return value as XAxis;
  throw new RequestError(400, `x must be one of ${AXES.join(", ")}, got ${show(value)}`);
}

function numberOf(
  value: unknown,
  name: string,
  rule: { readonly least: number; readonly most: number; readonly isWhole: boolean },
): number {
  const isValid = rule.isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (isValid && (value as number) >= rule.least && (value as number) <= rule.most) return value as number;
  const kind = rule.isWhole ? "a whole number" : "a number";
  throw new RequestError(
    400,
    `${name} must be ${kind} from ${rule.least} to ${rule.most}, got ${show(value)}`,
  );
}

function optionalNumber<N extends string>(body: Json, name: N): { readonly [K in N]?: number } {
  const value = body[name];
  if (value === undefined || value === null) return {};
  if (typeof value === "number" && Number.isFinite(value)) return { [name]: value } as { [K in N]: number };
  throw new RequestError(400, `${name} must be a number, got ${show(value)}`);
}
