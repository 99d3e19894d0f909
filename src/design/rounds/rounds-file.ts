// The file of the rounds of a design: proposals with their predictions, and what each round learned. The next round needs
// it, and a design that was interrupted goes on from it.

import { join } from "node:path";
import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { readText } from "../../disk/open-file.ts";
import { RunError, withDiskErrors } from "../../disk/run-error.ts";
import { DESIGN_FILES } from "../design-folder.ts";
import type { Round } from "./propose-round.ts";

const FORMAT = "gflownet rounds";
const FORMAT_VERSION = 1;

/** The rounds of a folder; none if there is no file. */
export async function readRounds(folder: string): Promise<Round[]> {
  const file = join(folder, DESIGN_FILES.rounds);
  const text = await readText(file);
  if (text === null) return [];
  try {
    const { format, version, rounds } = JSON.parse(text);
    if (format === FORMAT && version === FORMAT_VERSION && Array.isArray(rounds)) return rounds;
  } catch {
    // Not JSON: refused below.
  }
  throw new RunError(`${file} must be a file of ${FORMAT} of version ${FORMAT_VERSION}; give another folder`);
}

/** Writes all rounds. */
export async function writeRounds(folder: string, rounds: readonly Round[]): Promise<void> {
  const file = join(folder, DESIGN_FILES.rounds);
  const text = `${JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, rounds }, null, 1)}\n`;
  await withDiskErrors("written", file, () => writeFileAtomically(file, text));
}
