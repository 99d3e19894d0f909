// Units of work, and the interface of executors, which run them: in processes of this machine, or on a queue.
//
// A unit is plain data, so that it can be sent to another machine and be recognised by a hash. Files are named by the SHA-256
// of their content, never by a path.

/** Plain data. Numbers may be NaN or infinite (`json-text.ts`). */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** A piece of work whose results depend on nothing but this. */
export interface Unit {
  /** The name of a kind of work, such as `experiment`. */
  readonly kind: string;
  readonly settings: JsonObject;
  /** Files that it reads, by a name that its kind knows: the SHA-256 of each. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** What happens to a unit. `index` is its place in the list that was given to the executor. */
export type UnitEvent = { readonly index: number } & (
  | { readonly kind: "started" }
  /** The share of the unit that is done, from 0 to 1. */
  | { readonly kind: "progress"; readonly progress: number }
  | { readonly kind: "record"; readonly record: Json }
  | ({ readonly kind: "finished" } & UnitResult)
  | { readonly kind: "failed"; readonly message: string }
);

/** All records of a finished unit, and what computed them. */
export interface UnitResult {
  readonly records: readonly Json[];
  readonly provenance: Provenance;
}

/** What the bytes of a result may depend on, besides the unit. */
export interface Provenance {
  /** The version of this package. */
  readonly version: string;
  /** The engine that ran, such as `native`; null if the unit uses none. */
  readonly engine: string | null;
  readonly threads: number;
  /** Processor architecture and the vector instructions that change rounding, such as `x64 avx2 fma`. */
  readonly instructions: string;
}

/** Handles an event. The unit after a finished one does not start before the promise resolves. */
export type UnitHandler = (event: UnitEvent) => Promise<void> | void;

export interface Executor {
  /**
   * Runs all units and reports what happens to each. Rejects if the handler throws, or if no unit can run any more. Once
   * `signal` aborts, no further unit starts here, and the promise resolves soon, without an event for unfinished units.
   */
  run(units: readonly Unit[], handle: UnitHandler, signal: AbortSignal): Promise<void>;
  /** Ends all processes and connections. */
  close(): Promise<void>;
}
