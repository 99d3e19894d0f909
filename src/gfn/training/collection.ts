// Collects objects for the data set of a run with a call budget: rollouts of the policy, whose new objects are scored.
//
// Local search destroys the end of a good object and rebuilds it by the policy (Kim et al. 2024): on a tree of prefixes,
// the backward policy removes the last letters, and the forward policy writes others.

import { compile, type EngineName, type TypedArray } from "../../engine/index.ts";
import { isConstant, type Schedule, scheduleAt } from "../../nn/optim/schedule.ts";
import type { Model } from "../policy/model.ts";
import type { CachedScoreFunction } from "../reward/cached-score-function.ts";
import type { DataSet } from "../sampling/data-set.ts";
import { objectsOf } from "../sampling/objects-of.ts";
import type { OffPolicyData } from "../sampling/off-policy-data.ts";
import type { TrajectoryIndices } from "../sampling/replay-buffer.ts";
import { uniformsPerStep } from "../sampling/rollout.ts";
import { firstCalls, rolloutsDue } from "./call-plan.ts";
import type { DataSetSettings } from "./data-set-settings.ts";
import { type InputName, trainingIteration } from "./iteration.ts";
import type { Draw, MeanMatching } from "./mean-matching.ts";
import type { TrainingStreams } from "./random-streams.ts";
import type { Settings } from "./settings.ts";

/** The parts of a run that its collector uses. They are given anew for each call, because a restart replaces them. */
export interface CollectionParts {
  readonly oracle: CachedScoreFunction;
  readonly dataSet: DataSet;
  /** Its rows serve local search. */
  readonly offPolicy: OffPolicyData;
  readonly streams: TrainingStreams;
  /** Takes in the draws; null without mean matching. */
  readonly matching: MeanMatching | null;
}

export interface CollectorOptions {
  readonly model: Model;
  readonly settings: Settings & DataSetSettings;
  /** The call budget of the run. */
  readonly calls: number;
  /** Score of an object for mean matching. */
  readonly matchedScore: (score: number) => number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** The trajectories of one rollout. */
export interface Collected {
  readonly trajectories: TrajectoryIndices;
  /** 1 for each row of local search, [rows]: its kept steps were not sampled in the environment. */
  readonly offPolicy: Float32Array;
}

/** What a rollout says about each of its rows. */
type RolloutOutputs = TrajectoryIndices & {
  /** 1 for a row in which the policy sampled every action, [rows]. */
  readonly onPolicy: Float32Array;
  readonly logPolicyRatio: Float32Array;
  readonly logTargetRatio: Float32Array;
};

export interface Collector {
  /** Name of its compiled program. */
  readonly name: string;
  /** Makes the rollouts that are due at this progress, and scores their new objects. */
  collect(
    policy: () => Promise<TypedArray>,
    progress: number,
    parts: CollectionParts,
  ): Promise<readonly Collected[]>;
  dispose(): Promise<void>;
}

export async function collector(options: CollectorOptions): Promise<Collector> {
  const { model, settings, calls, matchedScore, engine, threads } = options;
  const { environment } = model;
  const { collectBatch: batch, epsilon, temperature, localSearchShare } = settings;
  const uses = {
    // The first objects come from uniformly drawn actions.
    epsilon: true,
    temperature: !isConstant(temperature, 1),
    offPolicy: !isConstant(localSearchShare, 0),
    offPolicySteps: true,
    drawProbabilities: settings.matchMeanScore,
  };
  const { run, example } = trainingIteration(model, { ...settings, batch, uses }).rollout;
  const program = await compile(run, example, { name: "rollout", engine, threads });
  const uniform = new Float32Array(environment.maxSteps * batch * uniformsPerStep(environment));
  const scalar = (value: number) => Float32Array.of(value);

  async function rollout(
    policy: TypedArray,
    progress: number,
    { isFirst, ...parts }: CollectionParts & { readonly isFirst: boolean },
  ) {
    const { offPolicy, streams } = parts;
    offPolicy.rows.clear();
    if (uses.offPolicy && !isFirst) addLocalSearch(localSearchShare, progress, parts);
    const { rows } = offPolicy;
    return (await program.run({
      policy,
      uniform: streams.rollout.fillUniform(uniform),
      epsilon: scalar(isFirst ? 1 : scheduleAt(epsilon, progress)),
      ...(uses.temperature && { temperature: scalar(scheduleAt(temperature, progress)) }),
      ...(uses.offPolicy && {
        offPolicyMask: rows.steps,
        offPolicyActions: rows.actions,
        offPolicyOutcomes: rows.outcomes,
      }),
    } as Record<"policy" | InputName, TypedArray>)) as unknown as RolloutOutputs;
  }

  /** Mean matching takes in the rows of a rollout whose objects have scores. */
  function match(
    matching: MeanMatching,
    oracle: CachedScoreFunction,
    objects: readonly string[],
    outputs: RolloutOutputs,
    isFirst: boolean,
  ) {
    const draws = objects.flatMap((object, row): Draw[] => {
      const score = oracle.scoreOf(object);
      if (score === undefined || (!isFirst && outputs.onPolicy[row] === 0)) return [];
      const [logPolicyRatio, logTargetRatio] = [outputs.logPolicyRatio[row], outputs.logTargetRatio[row]];
      return [{ score: matchedScore(score), logPolicyRatio, logTargetRatio }];
    });
    if (isFirst) matching.addUniform(draws);
    else matching.add(draws);
  }

  /** This share of the rows keeps the beginning of an object that is drawn by reward. */
  function addLocalSearch(
    share: Schedule,
    progress: number,
    { dataSet, offPolicy, streams }: CollectionParts,
  ) {
    for (let i = Math.round(scheduleAt(share, progress) * batch); i > 0; i--) {
      const outcomes = dataSet.sampleByReward(streams.replay);
      offPolicy.rows.addPrefix(outcomes, streams.replay.integer(Math.max(outcomes.length, 1)));
    }
  }

  return {
    name: "rollout",
    async collect(policy, progress, parts) {
      const { oracle, matching } = parts;
      const collected: Collected[] = [];
      const rollouts = rolloutsDue(calls, oracle.calls, settings, progress);
      if (rollouts === 0) return collected;
      const parameters = await policy();
      let hasNews = true;
      for (let i = 0; i < rollouts && oracle.calls < calls && hasNews; i++) {
        const before = oracle.calls;
        const isFirst = before < firstCalls(calls, settings);
        const trajectories = await rollout(parameters, progress, { ...parts, isFirst });
        const objects = objectsOf(environment, trajectories, batch);
        await oracle.scores(affordable(objects, oracle, calls));
        if (matching) match(matching, oracle, objects, trajectories, isFirst);
        collected.push({ trajectories, offPolicy: parts.offPolicy.rows.mask.slice() });
        // A policy that mostly repeats known objects should be trained further before it is asked again.
        hasNews = oracle.calls - before > batch / 2;
      }
      return collected;
    },
    dispose: () => program.dispose(),
  };
}

/** The objects that have no score yet, each once: the free ones, and as many others as the budget allows. */
function affordable(
  objects: readonly string[],
  oracle: CachedScoreFunction,
  calls: number,
): readonly string[] {
  const fresh = [...new Set(objects)].filter((object) => !oracle.has(object));
  let left = calls - oracle.calls;
  return fresh.filter((object) => oracle.isFree(object) || left-- > 0);
}
