// `gflownet sample`: samples objects from a run, under the environment's noise.

import { extname } from "node:path";
import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { withDiskErrors } from "../../disk/run-error.ts";
import { writeParquet } from "../../formats/tables/write-parquet.ts";
import { UserError } from "../../issues.ts";
import { formatCountOf } from "../../report/text-format.ts";
import { SAMPLE_FORMATS, type SampleFormat } from "../../run/sample-format-names.ts";
import { checkSampleFormat, formatSamples, SAMPLE_COLUMNS, sampleTable } from "../../run/sample-formats.ts";
import { openRun } from "../../run/saved-run.ts";
import type { Trained } from "../../trained/trained.ts";
import { write } from "../output.ts";
import { checkOutputFile } from "../output-file.ts";

export interface SampleOptions {
  readonly count: number;
  /** Default: by the extension of `out`, else CSV. */
  readonly format?: SampleFormat;
  readonly greedy?: boolean;
  /** Letters to intend, with `?` for any letter. */
  readonly template?: string;
  /** Letters to intend at the first positions. */
  readonly prefix?: string;
  readonly temperature?: number;
  /** Weights of the objectives, for a run that was trained with preferences. */
  readonly preference?: readonly number[];
  readonly seed: number;
  /** Output file. Default: standard output. */
  readonly out?: string;
  /** Whether to replace an existing output file. */
  readonly force?: boolean;
}

export async function sample(folder: string, options: SampleOptions): Promise<void> {
  const { out, force, count } = options;
  if (out !== undefined) await checkOutput(out, force);
  const format = options.format ?? formatOf(out);
  if (format === "parquet" && out === undefined) {
    throw new UserError([{ path: "format", code: "conflict", message: "parquet needs a file: give --out" }]);
  }
  const trained = await openRun(folder);
  checkSampleFormat(format, trained);
  const texts = sampleTexts(trained, { ...options, format });
  if (out === undefined) {
    for await (const text of texts) await write(text);
    return;
  }
  if (format === "parquet") {
    let table = "";
    for await (const text of texts) table += text;
    await withDiskErrors("written", out, () => writeParquet(out, table, SAMPLE_COLUMNS));
  } else await writeFileAtomically(out, texts);
  process.stdout.write(`${formatCountOf(count, "sample")} written to ${out}\n`);
}

/** The text of the samples, batch by batch: all samples may not fit into memory. */
async function* sampleTexts(
  trained: Trained,
  options: SampleOptions & { readonly format: SampleFormat },
): AsyncGenerator<string, void> {
  const { count, format, seed, greedy, template, prefix, temperature, preference } = options;
  try {
    let written = 0;
    for await (const batch of trained.samples({
      ...{ seed, greedy, template, prefix, temperature, preference },
    })) {
      const samples = batch.slice(0, count - written);
      yield format === "parquet"
        ? sampleTable(trained, samples, written)
        : formatSamples(format, trained, samples, written);
      written += samples.length;
      if (written === count) break;
    }
  } finally {
    await trained.dispose();
  }
}

/** Only a file is replaced: renaming onto a device such as /dev/null would remove it. */
function checkOutput(file: string, force = false): Promise<void> {
  return checkOutputFile("--out", file, (isFile) => {
    if (!isFile) throw new UserError(`--out: ${file} exists and is not a file; choose another name`);
    if (!force) throw new UserError(`--out: ${file} exists; choose another name, or replace it with --force`);
  });
}

/** The format that the extension of a file names; CSV without an extension. */
function formatOf(file = ""): SampleFormat {
  const extension = extname(file).slice(1).toLowerCase();
  if (["", "txt"].includes(extension)) return "csv";
  if (extension === "fa") return "fasta";
  const format = SAMPLE_FORMATS.find((each) => each === extension);
  if (format) return format;
  const names = SAMPLE_FORMATS.map((each) => `.${each}`).join(", ");
  throw new UserError(
    `--out: must end in one of ${names}, got ${file}; use one of them, or say what it is with --format`,
  );
}
