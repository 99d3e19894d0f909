// What the objects of a run are, from its config and the header of its task file: nothing is built that takes time.

import { join } from "node:path";
import { taskOptions } from "../config/fill-defaults.ts";
import { definitionOf, parseConfigText } from "../config/index.ts";
import { openIfExists } from "../disk/open-file.ts";
import { isGrid, isSequence } from "../gfn/environment/capabilities.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { CUSTOM_TASK } from "../run/custom-task.ts";
import { RUN_FILES } from "../run/run-files.ts";

export interface TaskStructure {
  readonly objects: "strings" | "cells" | "others";
  /** Whether a table has the scores of all objects. */
  readonly hasTable: boolean;
}

/** Null if the run cannot be opened without a program of the user, or cannot be read. */
export async function taskStructure(folder: string, configText: string): Promise<TaskStructure | null> {
  try {
    const { task } = JSON.parse(configText) as { readonly task?: unknown };
    if (task === CUSTOM_TASK) return await storedStructure(join(folder, RUN_FILES.task));
    const config = await parseConfigText(configText, join(folder, RUN_FILES.config));
    const definition = definitionOf(config);
    const environment = (await definition.load()).environment(await taskOptions(config, definition));
    return { objects: objectsOf(environment), hasTable: true };
  } catch {
    return null;
  }
}

function objectsOf(environment: Environment): TaskStructure["objects"] {
  if (isSequence(environment)) return "strings";
  return isGrid(environment) ? "cells" : "others";
}

/** Bytes of a header that are read. A longer one belongs to the tables of an environment, which has many objects. */
const MOST_HEADER = 2 ** 20;
/** Bytes before the header of a safetensors file: its length. */
const PREFIX = 8;

/** The structure from the header of a task file. */
async function storedStructure(path: string): Promise<TaskStructure | null> {
  const file = await openIfExists(path);
  if (!file) return null;
  try {
    const prefix = Buffer.alloc(PREFIX);
    await file.read(prefix, 0, PREFIX, 0);
    const size = Number(prefix.readBigUInt64LE());
    if (size > MOST_HEADER) return { objects: "others", hasTable: true };
    const header = Buffer.alloc(size);
    await file.read(header, 0, size, PREFIX);
    const { __metadata__: metadata = {}, scores } = JSON.parse(header.toString("utf8"));
    const hasTable = scores !== undefined;
    if (metadata.tables !== undefined) return { objects: "others", hasTable };
    if (metadata.recipe === undefined) return null;
    const { factory } = JSON.parse(metadata.recipe);
    return { objects: factory === "hypergridEnvironment" ? "cells" : "strings", hasTable };
  } finally {
    await file.close();
  }
}
