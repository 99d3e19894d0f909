// Messages between a process that runs units and its parent.

import type { Json, Provenance, Unit } from "./unit.ts";

/** Starts a unit, or asks the running one to stop soon. */
export type UnitRequest =
  | {
      readonly kind: "run";
      readonly unit: Unit;
      /** Paths of the inputs by their names. */
      readonly files: Readonly<Record<string, string>>;
      readonly checkpoint: Uint8Array | null;
      readonly version: string;
    }
  | { readonly kind: "pause" };

/** What the process answers. Each unit ends with `done`, `paused` or `failed`. */
export type UnitReply =
  | { readonly kind: "progress"; readonly progress: number }
  | { readonly kind: "record"; readonly record: Json }
  | { readonly kind: "checkpoint"; readonly bytes: Uint8Array }
  | { readonly kind: "done"; readonly provenance: Provenance }
  | { readonly kind: "paused" }
  | { readonly kind: "failed"; readonly message: string };
