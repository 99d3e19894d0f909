// A kind of work: how units of it are checked and computed. The process of a unit has a table of kinds.

import type { Json, JsonObject } from "./unit.ts";

/** What a unit may use beside its settings. */
export interface UnitContext {
  /** The path of an input file. Throws if the unit has no input of that name. */
  input(name: string): string;
  /** The last checkpoint of an earlier process that did not finish the unit; null for a new one. */
  readonly checkpoint: Uint8Array | null;
  /** Aborted when the unit must stop soon: it should yield a checkpoint, if it can, and return. */
  readonly pause: AbortSignal;
}

/** What a unit yields while it runs. It is finished when it returns without being paused. */
export type UnitOutput =
  | { readonly kind: "progress"; readonly progress: number }
  | { readonly kind: "record"; readonly record: Json }
  /** Everything that another process needs to continue bit-identically, besides the records so far. */
  | { readonly kind: "checkpoint"; readonly bytes: Uint8Array }
  /** The unit stopped, because it was paused. The last output. */
  | { readonly kind: "paused" };

export interface UnitKind {
  /** What is wrong with settings that came from elsewhere; null if nothing is. */
  problem(settings: JsonObject): string | null;
  /** The engine that computes a unit; null if it uses none. */
  engine(settings: JsonObject): string | null;
  run(settings: JsonObject, context: UnitContext): AsyncIterable<UnitOutput>;
}

export type UnitKinds = Readonly<Record<string, UnitKind>>;
