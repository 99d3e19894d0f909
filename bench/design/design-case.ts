// The rows of the design benchmark as interfaces: what is measured, and how the results of several processes make a row.

import type { RunOptions } from "../benchmark.ts";
import type { ChannelMeasurement } from "./channel.ts";
import type { DefaultsMeasurement } from "./default-cases.ts";
import type { EhrlichMeasurement } from "./ehrlich.ts";
import type { LongStrings } from "./long-strings.ts";
import type { OracleMeasurement } from "./oracle-cases.ts";

/** The work of one process, as JSON. */
export type Measurement =
  | ({ readonly section: "defaults" } & DefaultsMeasurement)
  | ({ readonly section: "Ehrlich" } & EhrlichMeasurement)
  | ({ readonly section: "channel" } & ChannelMeasurement)
  | ({ readonly section: "oracles" } & OracleMeasurement)
  | ({ readonly section: "long strings" } & LongStrings);

export type SectionName = Measurement["section"];

/** What a row says, as text for the columns of the table. */
export interface Figures {
  /** Exact values that the measured ones are compared with. */
  readonly references: string;
  /** One value for each seed. */
  readonly measured: string;
  /** Empty if nothing is required. */
  readonly required: string;
  /** Null if nothing is required, or if the run was too short to check it. */
  readonly met: boolean | null;
}

/** One row. Each measurement is a process of its own, and `figures` gets their results in the same order. */
export interface DesignCase<R = unknown> {
  readonly section: SectionName;
  /** Without the name of the section. */
  readonly setting: string;
  readonly measurements: readonly Measurement[];
  figures(results: readonly R[]): Figures;
}

/** Makes the cases of a section for the options of a run. */
export type CasesOf<R> = (options: CaseOptions) => readonly DesignCase<R>[];

/** The options that decide what is measured. */
export interface CaseOptions extends Pick<RunOptions, "quick" | "seconds"> {
  readonly seeds: readonly number[];
}
