// The policy of a round: a GFlowNet that is trained on the acquisition function of the proxy, and then refills masked letters
// of good strings, or builds whole strings.

import { possibleTokens } from "../../constraints/index.ts";
import type { EngineName, RandomStream } from "../../engine/index.ts";
import type { ConstrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import { model } from "../../gfn/policy/model.ts";
import { type RowMask, refiller } from "../../gfn/sampling/refill.ts";
import type { DataSetSettings } from "../../gfn/training/data-set-settings.ts";
import type { SettingsInput } from "../../gfn/training/settings.ts";
import type { Snapshot } from "../../gfn/training/snapshot.ts";
import { train } from "../../gfn/training/train.ts";
import type { ScoredDesign } from "../candidates.ts";
import { designTraining } from "../design-training.ts";

/** Writes the letters that strings do not keep. */
export interface Refill {
  /** One string for each pattern; a letter that is null is written by the policy. Null if none could be written. */
  refill(patterns: readonly (readonly (number | null)[])[], stream: RandomStream): Promise<(string | null)[]>;
  dispose(): Promise<void>;
}

/** What the policy is trained on. */
export interface PolicyOptions {
  readonly environment: ConstrainedSequenceEnvironment;
  /** Strings that have a score, with their acquisition values. */
  readonly known: readonly ScoredDesign[];
  /** Acquisition values of strings. */
  acquisition(strings: readonly string[]): Promise<ArrayLike<number>>;
  readonly seed: number;
  readonly iterations: number;
  /** New strings that training may ask the acquisition function for. */
  readonly calls: number;
  readonly settings?: SettingsInput & Partial<DataSetSettings>;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

/** How acquisition values become rewards: the exponent is such that so many strings matter. */
const SHAPING = {
  goal: "maximise",
  scale: "min-max",
  exponent: "auto",
  effectiveStrings: 50,
  floor: 1e-4,
} as const;
/** Mean matching would sharpen the policy on few strings. */
const SETTINGS = { matchMeanScore: false, batch: 64 } as const;

/** Trains the policy. */
export async function roundPolicy(options: PolicyOptions): Promise<Refill> {
  const { environment, known, acquisition, calls, seed, iterations, settings, engine, threads, signal } =
    options;
  let asked = 0;
  const source = {
    get calls() {
      return asked;
    },
    get remaining() {
      return calls - asked;
    },
    async score(strings: readonly string[]) {
      asked += strings.length;
      const values = await acquisition(strings);
      return strings.map((_, i) => ({ status: "scored" as const, score: values[i] }));
    },
  };
  const { options: training } = await designTraining({
    ...{ environment, source, known, budget: calls, shaping: SHAPING, seed, iterations },
    ...{ settings: { ...SETTINGS, ...settings }, engine, threads, signal },
  });
  let snapshot: Snapshot | undefined;
  for await (const event of train(training)) if (event.kind === "checkpoint") snapshot = event.snapshot;
  signal?.throwIfAborted();
  const policy = snapshot?.tensors.policy as Float32Array;
  const program = await refiller(model(environment, training), { engine, threads });
  return {
    async refill(patterns, stream) {
      const masks = patterns.map((pattern) => rowMask(environment, pattern));
      const found = masks.flatMap((mask, i) => (mask ? [i] : []));
      const written = await program.refill(
        policy,
        found.map((i) => masks[i] as RowMask),
        stream,
      );
      const result: (string | null)[] = patterns.map(() => null);
      found.forEach((i, row) => {
        result[i] = written[row];
      });
      return result;
    },
    dispose: () => program.dispose(),
  };
}

/** The actions of each step; null if no legal string has the letters of the pattern. An empty pattern keeps nothing, so
 * that whole strings are built. */
function rowMask(
  { automaton, maxSteps, actions, hasStop }: ConstrainedSequenceEnvironment,
  pattern: readonly (number | null)[],
): RowMask | null {
  const possible = possibleTokens(automaton, { pattern, open: pattern.length === 0 });
  if (!possible) return null;
  const columns = automaton.tokens + 1;
  const mask = new Uint8Array(maxSteps * actions);
  for (let t = 0; t < maxSteps; t++) {
    const row = possible.subarray(t * columns, (t + 1) * columns);
    mask.set(hasStop ? row : row.subarray(0, actions), t * actions);
  }
  return mask;
}
