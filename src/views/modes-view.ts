// The view `modes`: modes and circles found over training, or over the calls of a design.

import { join } from "node:path";
import { readDesignKey } from "../design/design-folder.ts";
import { TOP } from "../design/finish-design.ts";
import type { EvaluationEvent, IterationEvent, TrainEvent } from "../gfn/training/events.ts";
import { UserError } from "../issues.ts";
import { circles } from "../math/circles.ts";
import { RUN_FILES } from "../run/run-files.ts";
import { runInside } from "../run/run-folder.ts";
import { short } from "./numbers.ts";
import { openedRun, type ScoredObjects } from "./opened-run.ts";
import { scanEvents } from "./scan-events.ts";
import type { ModesView } from "./view-data.ts";

/** Evaluations that are shown, and points of a curve over calls. */
const [MOST_EVALUATIONS, POINTS] = [500, 20];
/** Radius of circles, as in a design that does not say otherwise. */
const RADIUS = 2;

export async function modesView(folder: string): Promise<ModesView> {
  const metrics = join(await runInside(folder), RUN_FILES.metrics);
  const key = await readDesignKey(folder);
  const run = key && (await openedRun(folder));
  const scored = run && (await run.scored());
  return key && scored ? designModes(scored, new Set(key.known), metrics) : runModes(metrics, folder);
}

async function runModes(metrics: string, folder: string): Promise<ModesView> {
  const events = await scanEvents(metrics, '"evaluation"', isEvaluation, MOST_EVALUATIONS);
  const counts = events.map(countsOf);
  const names = [...new Set(counts.flatMap((each) => Object.keys(each)))];
  if (names.length === 0) {
    throw new UserError(`${folder} has counted no modes; they are counted when a run is evaluated`);
  }
  const samples = events.findLast(({ exact }) => exact !== undefined);
  return {
    view: "modes",
    exact: false,
    notes: [
      `Modes are counted among samples of each evaluation${sampleCount(samples)}.`,
      "Circles are good samples that are far from each other.",
      ...(names.length > 1
        ? ["The expected number is what as many samples of the target contain on average."]
        : []),
    ],
    iterations: events.map(({ iteration }) => iteration),
    calls: events.map((event) => (event.exact ? null : (event.oracleCalls ?? null))),
    series: names.map((name) => {
      const last = counts.findLast((each) => each[name])?.[name];
      return {
        name,
        found: counts.map((each) => each[name]?.found ?? null),
        of: last?.of ?? null,
        expected: last?.expected ?? null,
      };
    }),
  };
}

interface Count {
  readonly found: number;
  readonly of: number | null;
  readonly expected: number | null;
}

/** The counts of an event, which may be from another version. */
function countsOf(event: EvaluationEvent): Partial<Record<string, Count>> {
  const result: Record<string, Count> = {};
  const add = (name: string, count: Partial<Count> | null | undefined) => {
    if (typeof count?.found !== "number") return;
    const { found, of = null, expected = null } = count;
    result[name] = { found, of, expected: expected === null ? null : short(expected, 5) };
  };
  const { modes, sampled } = event as { modes?: Record<string, unknown>; sampled?: Record<string, unknown> };
  const circleCount = modes?.circles ?? sampled?.circles;
  if (typeof circleCount === "number") add("circles", { found: circleCount });
  add("modes of the task", modes?.knownModes as Partial<Count> | null | undefined);
  add("local maxima", modes?.localMaxima as Partial<Count> | null | undefined);
  return result;
}

function isEvaluation(event: TrainEvent): event is EvaluationEvent {
  return event.kind === "evaluation";
}

function sampleCount(event: EvaluationEvent | undefined): string {
  const count = event?.exact ? event.modes?.samples : event?.sampled?.samples;
  return typeof count === "number" ? ` (${count} in the last one)` : "";
}

/** Circles among the best strings after parts of the calls. */
async function designModes(
  { objects, logRewards }: ScoredObjects,
  known: ReadonlySet<string>,
  metrics: string,
): Promise<ModesView> {
  const own = [...objects.keys()].filter((i) => !known.has(objects[i]));
  const isOneLength = own.every((i) => objects[i].length === objects[own[0]].length);
  const steps = Math.min(POINTS, own.length);
  const calls = Array.from({ length: steps }, (_, i) => Math.ceil(((i + 1) * own.length) / steps));
  const iterationAt = await iterationsByCalls(metrics);
  const found = calls.map((count) => {
    const some = own.slice(0, count);
    return circles(
      some.map((i) => objects[i]),
      some.map((i) => logRewards[i]),
      { top: TOP, radius: RADIUS, distance: isOneLength ? "hamming" : "edit" },
    ).length;
  });
  return {
    view: "modes",
    exact: true,
    notes: [
      `Of the ${TOP} best strings so far, the number that are pairwise more than ${RADIUS} apart; known strings do not count.`,
    ],
    iterations: calls.map(iterationAt),
    calls,
    series: [{ name: `circles(${TOP}, ${RADIUS})`, found, of: null, expected: null }],
  };
}

/** The first logged iteration after a number of calls. */
async function iterationsByCalls(metrics: string): Promise<(calls: number) => number> {
  const hasCalls = (event: TrainEvent): event is IterationEvent & { readonly calls: number } =>
    event.kind === "iteration" && typeof event.calls === "number";
  const events = await scanEvents(metrics, '"calls"', hasCalls, 2000);
  return (calls) => (events.find((event) => event.calls >= calls) ?? events.at(-1))?.iteration ?? 0;
}
