// Makes a run folder of a playground file. The file may come from a stranger: it runs nothing, names no other file, and
// everything in it is checked before the folder is created.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CONFIG_KEYS } from "../config/config.ts";
import { configText, parseConfig } from "../config/index.ts";
import { readRegularFile } from "../disk/regular-file.ts";
import { ModelFileError } from "../engine/index.ts";
import {
  type PlaygroundData,
  type PlaygroundEvent,
  type PlaygroundFile,
  readPlaygroundFile,
} from "../formats/playground-file.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { fileProblem, show, UserError, withSource } from "../issues.ts";
import { checkAvailable, nextRunFolder } from "./new-folder.ts";
import { dataFile } from "./run-files.ts";
import { createRun } from "./run-folder.ts";
import { configureRun } from "./train-run.ts";
import { type ConfiguredRun, fittingSnapshot, openTrainedRun, type TrainedRun } from "./trained-run.ts";

/** Bytes of a playground file; its checkpoints are small, because a browser trained them. */
const LARGEST = 2 ** 28;

/**
 * Reads a playground file and writes a run folder, by default a new one in `runs`. Throws a UserError if something in the file
 * is wrong; there is no folder then.
 */
export async function importRun(file: string, out?: string): Promise<TrainedRun> {
  const bytes = await readRegularFile(file, LARGEST).catch((error: unknown) => {
    const reason = error instanceof UserError ? error.issues[0].message : fileProblem(error);
    throw new UserError(`${file} cannot be read: ${reason}`, { cause: error });
  });
  const content = readPlaygroundFile(new TextDecoder().decode(bytes), file);
  checkFileOptions(content, file);
  if (out !== undefined) await checkAvailable(out);
  const configured = await configuredBy(content, file);
  const snapshot = snapshotIn(content, file, configured);
  const events = eventsUpTo(snapshot.iteration, content, file);

  const folder = resolve(out ?? (await nextRunFolder("runs", configured.config.task)));
  const data = Object.entries(content.data ?? {});
  const config = withPaths(configured.config, data, (option) => join(folder, dataFile(option)));
  const files = Object.fromEntries(data.map(([option, { bytes }]) => [dataFile(option), bytes]));
  const run = await createRun(folder, configText(config), files);
  try {
    for (const event of events) run.appendMetrics(event);
    await run.writeCheckpoint(content.checkpoint);
  } catch (error) {
    await run.discard();
    throw error;
  }
  await run.close();
  return openTrainedRun(folder);
}

/** A config of a stranger must name no file of this machine; the contents of files are part of the playground file. */
function checkFileOptions({ config, data = {} }: PlaygroundFile, source: string): void {
  const isFile = (option: string) => Object.hasOwn(CONFIG_KEYS, option) && CONFIG_KEYS[option].file;
  const unknown = Object.keys(data).find((option) => !isFile(option) || !Object.hasOwn(config, option));
  if (unknown !== undefined) {
    throw new UserError(
      `data has a file for ${show(unknown)}, which is no option of its config that names a file`,
      {
        source,
      },
    );
  }
  for (const [option, value] of Object.entries(config)) {
    const file = isFile(option);
    if (!file || value === undefined || Object.hasOwn(data, option)) continue;
    if (typeof value === "string" && file.builtIn.includes(value)) continue;
    throw new UserError(
      `config.${option} names the file ${show(value)}, but a playground file must have the content of each file in data; it is not read`,
      { source },
    );
  }
}

/** Builds the task and the options of training, with the files of `data` in a folder that is removed again. */
async function configuredBy({ config, data = {} }: PlaygroundFile, source: string): Promise<ConfiguredRun> {
  // Checksums are those of the paths that the data will have; the engine is one of this machine.
  const { engine: _, ...rest } = Object.fromEntries(
    Object.entries(config).filter(
      ([name]) => !Object.keys(data).some((option) => name === `${option}Sha256`),
    ),
  );
  const folder = await mkdtemp(join(tmpdir(), "gflownet-import-"));
  try {
    for (const [option, { bytes }] of Object.entries(data)) {
      await writeFile(join(folder, dataFile(option)), bytes);
    }
    const paths = withPaths(rest, Object.entries(data), (option) => join(folder, dataFile(option)));
    return await configureRun(await parseConfig(paths, { source }));
  } catch (error) {
    throw named(
      withSource(error, source, () => true),
      folder,
      source,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The error without the path of a folder that no longer exists. */
function named(error: unknown, folder: string, source: string): unknown {
  if (!(error instanceof UserError)) return error;
  const issues = error.issues.map((issue) => ({
    ...issue,
    message: issue.message.replaceAll(join(folder, "data-"), "data."),
  }));
  return new UserError(issues, { source, cause: error });
}

function withPaths<C extends object>(
  config: C,
  data: readonly (readonly [string, PlaygroundData])[],
  pathOf: (option: string) => string,
): C {
  return { ...config, ...Object.fromEntries(data.map(([option]) => [option, pathOf(option)])) };
}

function snapshotIn({ checkpoint }: PlaygroundFile, source: string, configured: ConfiguredRun): Snapshot {
  try {
    return fittingSnapshot(checkpoint, "its checkpoint", configured);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof ModelFileError)) throw error;
    const reason = error.message.replace(/\.$/, "").replace("in this run", "in its config");
    throw new UserError(`${reason}; download it from the playground again`, { source, cause: error });
  }
}

/** The events up to the checkpoint, as in the metrics of a run that was stopped there. */
function eventsUpTo(last: number, { metrics }: PlaygroundFile, source: string): readonly PlaygroundEvent[] {
  const events: PlaygroundEvent[] = [];
  let iteration = 0;
  for (const [i, event] of metrics.entries()) {
    if (event.kind === "end") continue; // written when the run is finished here
    const at = "iteration" in event ? event.iteration : event.kind === "start" ? iteration : undefined;
    if (typeof at !== "number" || !Number.isInteger(at) || at < iteration) {
      throw new UserError(
        `metrics[${i}].iteration must be a whole number of at least ${iteration}, that of the event before, got ${show(at)}`,
        { source },
      );
    }
    const missing = REQUIRED[event.kind]?.find((name) => !isNumeric(event, name));
    if (missing !== undefined) {
      throw new UserError(
        `metrics[${i}].${missing} must be a number, as in every event of kind ${event.kind}`,
        {
          source,
        },
      );
    }
    iteration = at;
    if (iteration <= last) events.push(event);
  }
  return events;
}

/** The fields by which curves and tables are drawn. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  iteration: ["loss", "gradientNorm"],
  evaluation: ["seconds"],
};

/** A number, or the text that stands for one that is not finite. */
function isNumeric(event: PlaygroundEvent, name: string): boolean {
  const value = (event as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === "number" || ["NaN", "Infinity", "-Infinity"].includes(value as string);
}
