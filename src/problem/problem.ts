// A problem: what a checked problem file says, with tokens by index and files by their absolute path.

import type { Constraint } from "../constraints/constraint.ts";
import type { SequenceSpace } from "../constraints/space.ts";
import type { DataSetSettings } from "../gfn/training/data-set-settings.ts";
import type { SettingsInput } from "../gfn/training/settings.ts";
import type { DesignObjective } from "../oracle/design-objectives.ts";
import type { Alphabet } from "./alphabet.ts";

/** A checked problem. */
export interface Problem {
  readonly alphabet: Alphabet;
  readonly space: SequenceSpace;
  readonly constraints: readonly Constraint[];
  readonly noise: ProblemNoise;
  /** What scores the strings; null if the scores come from the laboratory. */
  readonly oracle: OracleSpec | null;
  /** The values that the oracle gives to each string; undefined if it gives one score. */
  readonly objectives?: readonly DesignObjective[];
  /** `conditioned` if one policy learns all weights of the objectives. */
  readonly preferences?: "conditioned";
  readonly reward: RewardShaping;
  readonly known: readonly KnownString[];
  /** Most strings that are sent to the oracle; undefined if the file does not say. */
  readonly budget?: number;
  readonly failures: "skip" | "floor" | "stop";
  readonly seed: number;
  /** Settings of training that differ from their defaults. */
  readonly training: SettingsInput & Partial<DataSetSettings>;
  /** The folder of the problem file, in which programs run. */
  readonly folder: string;
}

/** The probability of each written token for each intended one, [intended][written]. Rows sum to 1. */
export type SubstitutionMatrix = readonly (readonly number[])[];

/** One matrix for all positions, or one per position. */
export type Substitution = SubstitutionMatrix | readonly SubstitutionMatrix[];

/** Where the noise is: in each step of building, or in the synthesis of the finished design. */
export type ProblemNoise =
  | { readonly when: "building"; readonly letters: BuildingNoise }
  | {
      readonly when: "after";
      readonly substitution: Substitution;
      /** Probability of an inserted token at each place, and of the loss of each token. */
      readonly insertion: number;
      readonly deletion: number;
    };

/** The noise of each step of building. */
export type BuildingNoise =
  | { readonly kind: "none" }
  | { readonly kind: "stick"; readonly stick: number; readonly mode: "within" | "free" }
  | { readonly kind: "substitution"; readonly matrix: Substitution; readonly mode: "within" | "free" };

/** What scores the strings. Members that are undefined have the default of the oracle. */
export type OracleSpec = { readonly version?: string } & (
  | {
      readonly kind: "program";
      /** The program and its arguments, without a shell. */
      readonly command: readonly string[];
      readonly protocol: "lines" | "json";
      readonly workers?: number;
      /** Seconds. */
      readonly timeout?: number;
      readonly batch?: number;
      readonly retries?: number;
    }
  | {
      readonly kind: "module";
      readonly file: string;
      /** Seconds. */
      readonly timeout?: number;
      readonly batch?: number;
    }
  | {
      readonly kind: "table";
      readonly file: string;
      /** The columns. Default: those with one of the usual names. */
      readonly string?: string;
      readonly score?: string;
    }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly concurrency?: number;
      /** Requests per second. */
      readonly rate?: number;
      /** Seconds. */
      readonly timeout?: number;
      readonly batch?: number;
      readonly retries?: number;
    }
  | { readonly kind: "landscape"; readonly landscape: LandscapeSpec }
);

/** A built-in landscape; the size of its alphabet and its length are those of the space. */
export type LandscapeSpec =
  | { readonly family: "ehrlich"; readonly file: string; readonly instance?: number }
  | {
      readonly family: "ehrlich";
      readonly motifs: number;
      readonly motifLength: number;
      readonly quantization?: number;
      readonly seed: number;
    }
  | { readonly family: "nk"; readonly k: number; readonly seed: number };

/** How scores become rewards. Members that are undefined have the default of the design loop. */
export interface RewardShaping {
  readonly goal: "maximise" | "minimise";
  readonly exponent?: number | "auto";
  /** With the exponent `auto`: the number 1/Σp² of strings that share the probability. */
  readonly effectiveStrings?: number;
  readonly floor?: number;
  readonly scale?: "min-max" | "quantile" | "none";
}

/** A string whose score is known before the start. */
export interface KnownString {
  readonly string: string;
  readonly tokens: readonly number[];
  readonly score: number;
  /** With several objectives, the value of each. */
  readonly values?: readonly number[];
  /** Whether the string has a length and meets the constraints that designs must have. */
  readonly legal: boolean;
}
