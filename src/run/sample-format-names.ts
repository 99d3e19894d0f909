// Names of the sample formats, in a file without imports, because `--help` loads it.

export const SAMPLE_FORMATS = ["csv", "jsonl", "fasta", "parquet"] as const;
export type SampleFormat = (typeof SAMPLE_FORMATS)[number];
/** Formats that can be written batch by batch, also to standard output. */
export type TextSampleFormat = Exclude<SampleFormat, "parquet">;
