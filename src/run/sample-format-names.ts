// Names of the sample formats, in a file without imports, because `--help` loads it.

export const SAMPLE_FORMATS = ["csv", "jsonl", "fasta"] as const;
export type SampleFormat = (typeof SAMPLE_FORMATS)[number];
