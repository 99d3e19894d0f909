// The policy of a round: a GFlowNet that is trained on the acquisition function of the proxy, and then refills masked letters
// of good strings, or builds whole strings.

import { possibleTokens } from "../../constraints/index.ts";
import type { EngineName, RandomStream } from "../../engine/index.ts";
import type { ConstrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import { type Refiller, type RowMask, refiller } from "../../gfn/sampling/refill.ts";
import type { DataSetSettings } from "../../gfn/training/data-set-settings.ts";
import type { SettingsInput } from "../../gfn/training/settings.ts";
import type { TrainOptions } from "../../gfn/training/train.ts";
import { modelTrainer, type Trainer } from "../../gfn/training/trainer.ts";
import type { ScoredDesign } from "../candidates.ts";
import { designTraining } from "../design-training.ts";

/** Writes the letters that strings do not keep. */
export interface Refill {
  /** One string for each pattern; a letter that is null is written by the policy. Null if none could be written. */
  refill(patterns: readonly (readonly (number | null)[])[], stream: RandomStream): Promise<(string | null)[]>;
}

export interface PolicyTrainerOptions {
  readonly environment: ConstrainedSequenceEnvironment;
  readonly iterations: number;
  /** New strings that training may ask the acquisition function for. */
  readonly calls: number;
  readonly settings?: SettingsInput & Partial<DataSetSettings>;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

/** What the policy of a round is trained on. */
export interface PolicyData {
  /** Strings that have a score, with their acquisition values. */
  readonly known: readonly ScoredDesign[];
  /** Acquisition values of strings. */
  acquisition(strings: readonly string[]): Promise<ArrayLike<number>>;
  readonly seed: number;
}

/** Trains the policies of rounds. Each is the same as that of a new trainer, but programs are compiled once. */
export interface PolicyTrainer {
  /** Trains a policy. The one before it must not be used any more. */
  train(data: PolicyData): Promise<Refill>;
  dispose(): Promise<void>;
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

/** Compiled programs: training, and the refilling of letters by its policy. */
interface Programs {
  readonly trainer: Trainer;
  readonly refiller: Refiller;
}

export function policyTrainer(options: PolicyTrainerOptions): PolicyTrainer {
  const { environment, iterations, engine, threads, signal } = options;
  let programs: Programs | null = null;

  /** Programs at the start of a training. Those of the last one serve again if its scores came from a function too. */
  async function programsFor(training: TrainOptions): Promise<Programs> {
    const { scores } = training;
    if (programs?.trainer.oracle && typeof scores === "function") {
      programs.trainer.restart({ ...training, scores });
      return programs;
    }
    await dispose();
    const trainer = await modelTrainer(training);
    try {
      programs = { trainer, refiller: await refiller(trainer.model, { engine, threads }) };
    } catch (error) {
      await trainer.dispose();
      throw error;
    }
    return programs;
  }

  async function dispose(): Promise<void> {
    const last = programs;
    programs = null;
    await last?.trainer.dispose();
    await last?.refiller.dispose();
  }

  return {
    async train(data) {
      const { trainer, refiller } = await programsFor(await trainingOptions(options, data));
      for (let t = 0; t < iterations; t++) {
        signal?.throwIfAborted();
        await trainer.step(t, t / iterations);
      }
      signal?.throwIfAborted();
      const { policy } = (await trainer.save()).tensors;
      return {
        async refill(patterns, stream) {
          const masks = rowMasks(environment, patterns);
          const found = masks.flatMap((mask, i) => (mask ? [i] : []));
          const written = await refiller.refill(
            policy as Float32Array,
            found.map((i) => masks[i] as RowMask),
            stream,
          );
          const result: (string | null)[] = patterns.map(() => null);
          found.forEach((i, row) => {
            result[i] = written[row];
          });
          return result;
        },
      };
    },
    dispose,
  };
}

/** The training on acquisition values. Only the scores and the seed differ between rounds, unless every string can be scored. */
async function trainingOptions(
  { environment, iterations, calls, settings, engine, threads, signal }: PolicyTrainerOptions,
  { known, acquisition, seed }: PolicyData,
): Promise<TrainOptions> {
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
  const { options } = await designTraining({
    ...{ environment, source, known, budget: calls, shaping: SHAPING, seed, iterations },
    ...{ settings: { ...SETTINGS, ...settings }, engine, threads, signal },
  });
  return options;
}

/** For each pattern the actions of each step; null if no legal string has the letters of the pattern. An empty pattern keeps
 * nothing, so that whole strings are built. */
function rowMasks(
  { automaton, maxSteps, actions, hasStop }: ConstrainedSequenceEnvironment,
  patterns: readonly (readonly (number | null)[])[],
): (RowMask | null)[] {
  const columns = automaton.tokens + 1;
  const maskOf = (pattern: readonly (number | null)[], open: boolean): RowMask | null => {
    const possible = possibleTokens(automaton, { pattern, open });
    if (!possible || hasStop) return possible;
    const mask = new Uint8Array(maxSteps * actions);
    for (let t = 0; t < maxSteps; t++) {
      for (let action = 0; action < actions; action++) {
        mask[t * actions + action] = possible[t * columns + action];
      }
    }
    return mask;
  };
  const hasEmpty = patterns.some(({ length }) => length === 0);
  const whole = hasEmpty ? maskOf([], true) : null; // a search builds many whole strings at once
  return patterns.map((pattern) => (pattern.length === 0 ? whole : maskOf(pattern, false)));
}
