// The entry of a run, and of a design with the run inside it.

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_VERSION } from "../config/config.ts";
import { checkVersion } from "../config/parse.ts";
import { DESIGN_FILES, readDesignKey } from "../design/design-folder.ts";
import { isLocked } from "../disk/lock.ts";
import { readText } from "../disk/open-file.ts";
import { RunError } from "../disk/run-error.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { field } from "../report/event-fields.ts";
import { iterationOf } from "../run/event-lines.ts";
import { configOf, latestEvents, stateOf } from "../run/list-runs.ts";
import { RUN_FILES } from "../run/run-files.ts";
import { viewRun } from "../run/run-folder.ts";
import { withoutSeed } from "./entry-groups.ts";
import { readEvent } from "./event-values.ts";
import { type EntryFolder, type FoundEntry, fileStamps } from "./found-entry.ts";
import type { MetricsSource } from "./metric-store.ts";

/** The last event of each kind is looked for in this many bytes at the end of the metrics. */
const SEARCHED_BYTES = 2 ** 20;

const UNREADABLE = `the last MiB of ${RUN_FILES.metrics} has no line that can be read; remove what is damaged`;

const STAMPED = [RUN_FILES.config, RUN_FILES.metrics];

/** What was read of a run, as long as its files stay the same. */
export interface RunMemory {
  readonly key: string;
  readonly size: number;
  readonly found: FoundEntry;
  readonly lastEvent: TrainEvent | undefined;
}

/** Reads a run or a design. `known` is what was read before, and saves reading files that have not changed. */
export async function readRunEntry(
  folder: EntryFolder,
  known: RunMemory | undefined,
): Promise<{ readonly found: FoundEntry; readonly memory: RunMemory }> {
  const { path, kind, files } = folder;
  const isDesign = kind === "design";
  const run = isDesign ? join(path, DESIGN_FILES.run) : path;
  if (isDesign) await checkFolder(run, files ?? []);
  const { key, modified, sizes } = await fileStamps(run, STAMPED);
  const size = sizes.get(RUN_FILES.metrics) ?? 0;
  const memory =
    known && known.key === key ? known : await readFiles(folder, run, { key, modified, size }, known);
  const locked =
    ((isDesign || files?.includes(RUN_FILES.lock)) && (await isLocked(run))) ||
    (isDesign && (await isLocked(path, DESIGN_FILES.lock)));
  const { entry } = memory.found;
  const state = stateOf(locked === true, memory.lastEvent);
  return { found: { ...memory.found, entry: { ...entry, state } }, memory };
}

/** The run of a design must be a folder: a link could lead anywhere. */
async function checkFolder(run: string, files: readonly string[]): Promise<void> {
  if (!files.includes(DESIGN_FILES.run) || (await lstat(run)).isDirectory()) return;
  throw new RunError(`${run} is not a folder, but a link or a file; replace it by the folder of the run`);
}

async function readFiles(
  { id, name, kind, path }: EntryFolder,
  run: string,
  { key, modified, size }: { readonly key: string; readonly modified: number; readonly size: number },
  known: RunMemory | undefined,
): Promise<RunMemory> {
  const design = kind === "design" ? await readDesignKey(path) : null;
  const text = await readText(join(run, RUN_FILES.config));
  const config = text === null ? null : configOf(text);
  // A design has no run while its strings are scored, or before its first round.
  if (!config && kind === "run") await viewRun(run); // throws a sentence
  if (config && !isReadableVersion(config.version)) {
    checkVersion(config.version, join(run, RUN_FILES.config));
  }
  const { version: _, ...settings }: Readonly<Record<string, unknown>> = config ?? {};
  const metrics: MetricsSource = { file: join(run, RUN_FILES.metrics), format: "events" };
  const isByTime = typeof settings.seconds === "number";
  const events = await latestEvents(metrics.file, {
    kinds: ["iteration", "evaluation", ...(isByTime ? (["plan"] as const) : [])],
    most: SEARCHED_BYTES,
  });
  // What was read earlier still holds if the file only grew.
  const before = known && size >= known.size ? known.found.entry : null;
  const last: Record<string, number> = { ...before?.last };
  for (const event of events) {
    readEvent(event as object as Readonly<Record<string, unknown>>, "events", {
      at: () => {},
      value: (metric, value) => {
        last[metric.name] = value;
      },
    });
  }
  const evaluation = events.findLast((event) => event.kind === "evaluation");
  const plan = events.findLast((event) => event.kind === "plan");
  const planned = plan?.iterations ?? orNull(field(settings, "iterations")) ?? before?.iterations ?? null;
  const seconds = events.map((event) => field(event, "seconds")).findLast(Number.isFinite);
  const all = { ...settings, ...(design && { problem: design.problem, budget: design.budget }) };
  return {
    key,
    size,
    lastEvent: events.at(-1),
    found: {
      entry: {
        ...{ id, kind, name, parent: null, task: config?.task ?? null },
        ...{
          state: "interrupted",
          problem: events.length === 0 && size > SEARCHED_BYTES ? UNREADABLE : null,
        },
        seed: orNull(field(settings, "seed")),
        modified,
        iteration:
          events.map(iterationOf).findLast((iteration) => iteration !== undefined) ??
          before?.iteration ??
          null,
        iterations: planned,
        seconds: seconds ?? before?.seconds ?? null,
        last,
        exact: evaluation?.exact ?? before?.exact ?? null,
      },
      folder: path,
      metrics,
      settings: all,
      groupSettings: withoutSeed(all),
      groupLabel: null,
    },
  };
}

/** Runs of earlier versions have metrics of the same form. */
function isReadableVersion(version: unknown): boolean {
  return version === undefined || (Number.isInteger(version) && (version as number) <= CONFIG_VERSION);
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
