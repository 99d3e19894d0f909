// How samples can be written; it loads nothing, for `--help`.

export const SAMPLE_FORMATS = ["csv", "jsonl", "fasta"] as const;
export type SampleFormat = (typeof SAMPLE_FORMATS)[number];
