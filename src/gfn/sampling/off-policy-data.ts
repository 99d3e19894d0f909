// Off-policy data of a training run: uniformly drawn objects, offline objects and a replay buffer fill a share of each
// batch, and trajectories of the batch are stored for later.

import type { RandomStream } from "../../engine/index.ts";
import { isConstant, type Schedule, scheduleAt } from "../../nn/optim/schedule.ts";
import { type Environment, enumerationOf, isEnumerable } from "../environment/environment.ts";
import type { Settings } from "../training/settings.ts";
import { OffPolicyRows } from "./off-policy-rows.ts";
import { ReplayBuffer, type SavedTrajectories, type TrajectoryIndices } from "./replay-buffer.ts";

export interface OffPolicyData {
  /** The off-policy rows of the next iteration. */
  readonly rows: OffPolicyRows;
  /** Samples the off-policy rows of the next iteration. */
  sampleRows(progress: number): void;
  /** Samples stored trajectories for the dynamics model, [rounds, steps, trajectories]; all −1 while none are stored.
   * Null if the dynamics model has no buffer. */
  sampleForDynamics(): TrajectoryIndices | null;
  /** Stores the on-policy rows of a batch. */
  store(trajectories: TrajectoryIndices, scoreOf: (row: number) => number): void;
  /** Stores the rows of a batch whose mask is 0, for the dynamics model only. */
  storeForDynamics(trajectories: TrajectoryIndices, mask: Float32Array): void;
  /** The contents of the buffers. */
  save(): SavedBuffers;
  restore(buffers: SavedBuffers): void;
}

export type SavedBuffers = Readonly<Partial<Record<BufferName, SavedTrajectories>>>;
export type BufferName = "replay" | "dynamics";

/** Random streams of the sources. They are looked up at each use, so the caller may replace them in the record. */
export type OffPolicyStreams = Readonly<Record<(typeof OFF_POLICY_STREAMS)[number], RandomStream>>;
export const OFF_POLICY_STREAMS = ["uniform", "offline", "replay", "dynamics"] as const;

type ShareSettings = Pick<Settings, "uniformShare" | "offlineShare" | "replayShare">;

export interface OffPolicyOptions
  extends ShareSettings,
    Pick<Settings, "batch" | "replayCapacity" | "replayPriority">,
    Pick<Settings, "dynamicsReplayCapacity" | "dynamicsReplayBatch" | "dynamicsReplayRounds"> {
  /** Texts of the objects for `offlineShare`. */
  readonly offlineObjects?: readonly string[];
}

/** Whether a batch of the run can have off-policy rows. */
export function usesOffPolicyRows({ uniformShare, offlineShare, replayShare }: ShareSettings): boolean {
  return [uniformShare, offlineShare, replayShare].some((share) => !isConstant(share, 0));
}

/** Whether trajectories of the run are stored. */
export function storesTrajectories({
  replayShare,
  dynamicsReplayCapacity,
}: Pick<Settings, "replayShare" | "dynamicsReplayCapacity">): boolean {
  return !isConstant(replayShare, 0) || dynamicsReplayCapacity > 0;
}

export function offPolicyData(
  environment: Environment,
  options: OffPolicyOptions,
  streams: OffPolicyStreams,
): OffPolicyData {
  const { batch, uniformShare, offlineShare, replayShare, offlineObjects = [] } = options;
  const { maxSteps } = environment;
  const uniformObject = isConstant(uniformShare, 0) ? undefined : uniformObjectSampler(environment);
  const rows = new OffPolicyRows(environment, batch);
  // Rejects invalid offline objects before training starts.
  for (const text of offlineObjects) environment.trajectoryOf(text, streams.offline.split("check"));
  const replay = isConstant(replayShare, 0) ? undefined : new ReplayBuffer(options.replayCapacity, maxSteps);
  const dynamicsReplay =
    options.dynamicsReplayCapacity > 0
      ? new ReplayBuffer(options.dynamicsReplayCapacity, maxSteps)
      : undefined;
  const buffers: [BufferName, ReplayBuffer | undefined][] = [
    ["replay", replay],
    ["dynamics", dynamicsReplay],
  ];

  return {
    rows,
    sampleRows(progress) {
      rows.clear();
      let remaining = batch;
      const takeRows = (share: Schedule) => {
        const count = Math.min(Math.round(scheduleAt(share, progress) * batch), remaining);
        remaining -= count;
        return count;
      };
      for (let i = takeRows(uniformShare); uniformObject && i > 0; i--) {
        rows.addOutcomes(uniformObject(streams.uniform));
      }
      for (let i = takeRows(offlineShare); i > 0; i--) {
        const text = offlineObjects[streams.offline.integer(offlineObjects.length)];
        rows.addOutcomes(environment.trajectoryOf(text, streams.offline));
      }
      if (!replay) return;
      for (const slot of replay.sample(takeRows(replayShare), options.replayPriority, streams.replay)) {
        rows.addTrajectory(replay, slot);
      }
    },
    sampleForDynamics() {
      if (!dynamicsReplay) return null;
      const { dynamicsReplayRounds: rounds, dynamicsReplayBatch: perRound } = options;
      const size = maxSteps * perRound;
      const stored = {
        actions: new Int32Array(rounds * size).fill(-1),
        outcomes: new Int32Array(rounds * size).fill(-1),
      };
      for (let round = 0; round < rounds; round++) {
        const part = {
          actions: stored.actions.subarray(round * size, (round + 1) * size),
          outcomes: stored.outcomes.subarray(round * size, (round + 1) * size),
        };
        dynamicsReplay.sample(perRound, 0, streams.dynamics).forEach((slot, row) => {
          dynamicsReplay.copyTo(slot, part, row);
        });
      }
      return stored;
    },
    store(trajectories, scoreOf) {
      for (let row = 0; row < batch; row++) {
        if (rows.mask[row] === 1) continue;
        replay?.add(trajectories, row, scoreOf(row));
        dynamicsReplay?.add(trajectories, row, 0);
      }
    },
    storeForDynamics(trajectories, mask) {
      mask.forEach((isOffPolicy, row) => {
        if (isOffPolicy === 0) dynamicsReplay?.add(trajectories, row, 0);
      });
    },
    save: () =>
      Object.fromEntries(buffers.flatMap(([name, buffer]) => (buffer ? [[name, buffer.save()]] : []))),
    restore(saved) {
      for (const [name, buffer] of buffers) {
        const content = saved[name];
        if (!buffer !== !content) {
          const problem = content ? "is not used here" : "is missing";
          throw new RangeError(`the checkpoint does not fit this run: its ${name} buffer ${problem}`);
        }
        if (content) buffer?.restore(content);
      }
    },
  };
}

/** A function that samples a uniformly drawn object, as the outcomes of a trajectory to it. */
function uniformObjectSampler(environment: Environment): (stream: RandomStream) => readonly number[] {
  if (environment.uniformObject) return environment.uniformObject.bind(environment);
  if (!isEnumerable(environment)) {
    throw new TypeError(`offPolicy: internal: the objects of ${environment.name} are not enumerated`);
  }
  const { terminals } = enumerationOf(environment);
  return (stream) => environment.sampleTrajectoryTo(stream.integer(terminals), stream);
}
