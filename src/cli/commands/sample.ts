// `gflownet sample`: samples objects from a run, under the environment's noise.

import { extname } from "node:path";
import { UserError } from "../../issues.ts";
import { formatCountOf } from "../../report/text-format.ts";
import { writeFileAtomically } from "../../run/atomic-file.ts";
import { runSampler, SAMPLE_BATCH } from "../../run/run-sampler.ts";
import { SAMPLE_FORMATS, type SampleFormat } from "../../run/sample-format-names.ts";
import { checkSampleFormat, formatSamples } from "../../run/sample-formats.ts";
import { openTrainedRun, type TrainedRun } from "../../run/trained-run.ts";
import { write } from "../output.ts";
import { checkOutputFile } from "../output-file.ts";

export interface SampleOptions {
  readonly count: number;
  /** Default: by the extension of `out`, else CSV. */
  readonly format?: SampleFormat;
  readonly greedy?: boolean;
  readonly seed: number;
  /** Output file. Default: standard output. */
  readonly out?: string;
  /** Whether to replace an existing output file. */
  readonly force?: boolean;
}

/** Samples between two writes: all of them may not fit into memory. */
const CHUNK = 16 * SAMPLE_BATCH;

export async function sample(folder: string, options: SampleOptions): Promise<void> {
  const { out, force, count } = options;
  if (out !== undefined) await checkOutput(out, force);
  const trained = await openTrainedRun(folder);
  const format = options.format ?? formatOf(out);
  checkSampleFormat(format, trained.task);
  const texts = sampleTexts(trained, { ...options, format });
  if (out === undefined) {
    for await (const text of texts) await write(text);
    return;
  }
  await writeFileAtomically(out, texts);
  process.stdout.write(`${formatCountOf(count, "sample")} written to ${out}\n`);
}

async function* sampleTexts(
  trained: TrainedRun,
  { count, format, greedy, seed }: SampleOptions & { readonly format: SampleFormat },
): AsyncGenerator<string, void> {
  const sampler = await runSampler(trained, { seed, greedy });
  try {
    for (let before = 0; before < count; before += CHUNK) {
      const samples = await sampler.sample(Math.min(CHUNK, count - before));
      yield formatSamples(format, trained.task, samples, before);
    }
  } finally {
    await sampler.dispose();
  }
}

/** Only a file is replaced: renaming onto a device such as /dev/null would remove it. */
function checkOutput(file: string, force = false): Promise<void> {
  return checkOutputFile("--out", file, (isFile) => {
    if (!isFile) throw new UserError(`--out: ${file} exists and is not a file; choose another name`);
    if (!force) throw new UserError(`--out: ${file} exists; choose another name, or replace it with --force`);
  });
}

function formatOf(file = ""): SampleFormat {
  const extension = extname(file).slice(1).toLowerCase();
  return SAMPLE_FORMATS.find((format) => format === extension) ?? "csv";
}
