// Finds units that ran twice with different results: a worker reports the hash of each result, also of one that comes too late
// to be kept.

import type { Provenance, UnitResult } from "../executor/unit.ts";
import { recordsHash } from "./payload.ts";

/** The hash of a result, and what computed it. */
export interface ReportedResult {
  readonly hash: string;
  readonly provenance: Provenance;
}

export class ResultHashes {
  /** For each unit its hashes by the circumstances they were computed in. */
  readonly #hashes = new Map<string, Map<string, Set<string>>>();
  /** Units with different results in equal circumstances. */
  readonly #differing = new Set<string>();

  has(id: string): boolean {
    return this.#hashes.has(id);
  }

  addResult(id: string, { records, provenance }: UnitResult): void {
    this.addReport(id, { hash: recordsHash(records), provenance });
  }

  addReport(id: string, { hash, provenance }: ReportedResult): void {
    const { version, engine, threads, instructions } = provenance;
    const circumstances = [version, engine, threads, instructions].join("\n");
    const byCircumstances = this.#hashes.get(id) ?? new Map<string, Set<string>>();
    this.#hashes.set(id, byCircumstances);
    const hashes = (byCircumstances.get(circumstances) ?? new Set()).add(hash);
    byCircumstances.set(circumstances, hashes);
    if (hashes.size > 1) this.#differing.add(id);
  }

  /** Units with different results in equal circumstances. */
  differing(): string[] {
    return [...this.#differing];
  }
}
