// Options of the task `tfbind8`: their defaults, help and rules.

import { fileKey, is, type Keys } from "../../settings/keys.ts";
import { stickKey } from "../stick-key.ts";

/** Score tables that need no file. */
export const BUILT_IN_TABLES = ["surrogate", "simplified"] as const;

/** Options of `tfbind8Task`. */
export interface Tfbind8Options {
  /** Probability that the environment replaces an action by a uniform draw among the legal ones. */
  readonly stick: number;
  /** Scores of all 65,536 strings in alphabetical order, or the name of a built-in table. */
  readonly table?: Float64Array | (typeof BUILT_IN_TABLES)[number];
  /** Source of a table of scores, such as the name of its file, for the label of the task. */
  readonly source?: string;
}

export const TFBIND8_DEFAULTS = { table: "surrogate", source: "a table of the caller" } as const;

/** The options of the task in a config. */
export interface Tfbind8ConfigOptions {
  readonly stick: number;
  /** A file, or the name of a built-in table. */
  readonly table: string;
}

export const TFBIND8_KEYS: Keys<Tfbind8ConfigOptions> = {
  stick: stickKey,
  table: fileKey(
    "task",
    "source of the scores, a protein-binding-microarray file or a built-in table (surrogate, simplified)",
    is(TFBIND8_DEFAULTS.table),
    BUILT_IN_TABLES,
  ),
};
