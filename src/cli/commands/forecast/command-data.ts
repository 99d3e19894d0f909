// Reads the data of a command: a file or the demo data.

import {
  DEMO,
  type PanelFile,
  type PanelFileOptions,
  readPanelFile,
} from "../../../forecast/data/panel-file.ts";
import type { ReadControl } from "../../../forecast/data/read-progress.ts";
import { seasonNotes, usablePanel } from "../../../forecast/data/usable-panel.ts";
import type { Panel } from "../../../forecast/types.ts";
import { UserError } from "../../../issues.ts";
import { checkAvailable } from "../../../run/new-folder.ts";
import { ProgressLine } from "../../progress-line.ts";
import { dataOptions } from "./data-flags.ts";
import { showReading } from "./progress.ts";
import type { PrintOptions } from "./run-command.ts";

export interface DataCommand extends PrintOptions {
  readonly demo?: boolean;
  /** Folder of the results, which must not exist. */
  readonly out?: string;
}

/** Data that can be forecast, with the options with which they were read. */
export interface CommandData {
  readonly file: PanelFile;
  readonly panel: Panel;
  readonly options: PanelFileOptions;
  /** Remarks about the data, to print once the options of the command are checked. */
  readonly notes: readonly string[];
}

/** Runs a reader of data with a progress line on stderr, which an abort of the signal stops. */
export async function withReadProgress<T>(
  { json, quiet }: PrintOptions,
  signal: AbortSignal,
  read: (control: ReadControl) => Promise<T>,
): Promise<T> {
  const progress = new ProgressLine(json || quiet ? undefined : process.stderr);
  try {
    return await read({ signal, onProgress: (state) => showReading(progress, state) });
  } finally {
    progress.clear();
  }
}

/** Reads the file or the demo data. */
export async function readData(
  path: string | undefined,
  command: DataCommand,
  signal: AbortSignal,
): Promise<PanelFile> {
  if (path !== undefined && command.demo) throw new UserError("give either a file or --demo, got both");
  if (path === undefined && !command.demo) throw new UserError("give a file of time series, or --demo");
  return withReadProgress(command, signal, (control) =>
    readPanelFile(path ?? DEMO.path, dataOptions(command), control),
  );
}

/** Reads the data without series that cannot be forecast. */
export async function readUsableData(
  path: string | undefined,
  command: DataCommand,
  signal: AbortSignal,
): Promise<CommandData> {
  const options = dataOptions(command);
  const file = await readData(path, command, signal);
  const { panel, notes } = usablePanel(file.panel);
  return {
    file,
    panel,
    options,
    notes: [...file.table.notes, ...seasonNotes(panel, options), ...notes],
  };
}

/** Throws if the folder of the results exists and is not empty. */
export async function checkNewFolder(folder: string | undefined, content: string): Promise<void> {
  if (folder !== undefined) await checkAvailable(folder, content);
}

/** The given horizon, or that of the demo data. */
export function horizonOf({
  demo,
  horizon,
}: DataCommand & { readonly horizon?: number }): number | undefined {
  return horizon ?? (demo ? DEMO.horizon : undefined);
}
