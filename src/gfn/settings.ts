// Everything about a training run that a config file may hold: plain data, checked in one place.

import { type Course, checkCourse, courseAt, isAlways } from "./course.ts";
import { checkEntropy, type EntropySettings } from "./entropy-ratio/options.ts";
import type { ModelOptions } from "./model.ts";
import { BALANCES, DYNAMICS, LOSSES, type Objective } from "./objectives/choice.ts";
import type { RewardOptions } from "./reward.ts";

export interface Settings extends ModelOptions, EntropySettings {
  readonly objective: Objective;
  /** Episodes per iteration. */
  readonly batch: number;
  readonly learningRate: Course;
  readonly dynamicsLearningRate: Course;
  /** Largest norm of the policy's gradient; not clipped if not given. */
  readonly clip?: number;
  /** Largest norm of the dynamics model's gradient; not clipped if not given. */
  readonly dynamicsClip?: number;
  /** In `subtb`, sub-trajectories of n steps count λⁿ. */
  readonly lambda: number;
  readonly exploration: Exploration;
  readonly mixture: Mixture;
  readonly replay: ReplayOptions;
  /** Trains the dynamics model on stored episodes instead of the current batch. */
  readonly dynamicsReplay?: DynamicsReplayOptions;
  readonly reward: RewardOptions;
}

/** How intentions are drawn in training. They are scored under the policy itself, and never explored in evaluation. */
export interface Exploration {
  /** Share of steps at which a legal intention is drawn uniformly. */
  readonly epsilon: Course;
  /** Logits are divided by it before drawing; above 1 is flatter. */
  readonly temperature: Course;
}

/** Shares of the batch that follow objects from elsewhere; the rest is drawn from the policy. */
export interface Mixture {
  /** Drawn uniformly from all objects. */
  readonly uniform: Course;
  /** Drawn from a set of known objects. */
  readonly offline: Course;
  /** Episodes of this run, again. */
  readonly replay: Course;
}

export interface ReplayOptions {
  /** Episodes kept; the oldest goes first. */
  readonly capacity: number;
  /** Episodes are drawn by score to this power: 0 draws all alike. */
  readonly priority: number;
}

export interface DynamicsReplayOptions {
  readonly capacity: number;
  /** Episodes per round. */
  readonly episodes: number;
  /** Updates per iteration. */
  readonly rounds: number;
}

/** Throws one sentence that names the setting if one is out of its range. */
export function checkSettings(settings: Settings): void {
  const { exploration, mixture, replay, dynamicsReplay, objective, reward } = settings;
  checkObjective(objective);
  checkEntropy(settings, objective);
  const rates = { low: 0, high: Number.MAX_VALUE };
  checkCourse("learningRate", settings.learningRate, rates);
  checkCourse("dynamicsLearningRate", settings.dynamicsLearningRate, rates);
  checkCourse("exploration.epsilon", exploration.epsilon, { low: 0, high: 1 });
  checkCourse("exploration.temperature", exploration.temperature, { low: 1e-3, high: 1e3 });
  for (const name of ["uniform", "offline", "replay"] as const) {
    checkCourse(`mixture.${name}`, mixture[name], { low: 0, high: 1 });
  }
  for (const net of ["policy", "dynamics"] as const) {
    checkPositive(`${net}.memoryRateScale`, settings[net].memoryRateScale ?? 1);
  }
  for (const net of ["policy", "dynamics"] as const) {
    const { memoryRows = 0 } = settings[net];
    if (memoryRows !== 0) checkWhole(`${net}.memoryRows`, memoryRows);
  }
  checkWhole("batch", settings.batch);
  checkMixture(settings);
  checkReading(settings);
  checkAnswers(settings);
  checkWhole("replay.capacity", replay.capacity);
  checkNumber("replay.priority", replay.priority, 0);
  checkNumber("lambda", settings.lambda, 0);
  checkPositive("clip", settings.clip ?? 1);
  checkPositive("dynamicsClip", settings.dynamicsClip ?? 1);
  checkPositive("reward.largest", reward.largest ?? 1);
  checkNumber("reward.ramp", reward.ramp ?? 0, 0);
  checkPositive("reward.exponent", reward.exponent ?? 1);
  checkCourse("reward.floor", reward.floor ?? 0, { low: 0, high: 1 });
  if (dynamicsReplay) {
    for (const name of ["capacity", "episodes", "rounds"] as const) {
      checkWhole(`dynamicsReplay.${name}`, dynamicsReplay[name]);
    }
  }
  if (settings.logZ && objective.balance !== "tb" && objective.balance !== "subtb") {
    throw new RangeError(
      `logZ: a parameter of its own goes with tb and subtb, not with ${objective.balance}`,
    );
  }
  if (settings.logZ) {
    checkNumber("logZ.initial", settings.logZ.initial ?? 0, Number.NEGATIVE_INFINITY);
    checkPositive("logZ.rateScale", settings.logZ.rateScale ?? 1);
  }
}

function checkObjective(objective: Objective): void {
  const choices = { balance: BALANCES, dynamics: DYNAMICS, loss: LOSSES } as const;
  for (const [name, names] of Object.entries(choices)) {
    const chosen = objective?.[name as keyof Objective];
    if (!(names as readonly string[]).includes(chosen)) {
      throw new RangeError(`objective.${name} must be one of ${names.join(", ")}, got ${chosen}`);
    }
  }
  const problem = objectiveProblem(objective);
  if (problem) throw new RangeError(`objective.loss: ${problem}`);
  checkExpected(objective);
}

/** Why the choices of an objective do not go together; null if they do. */
export function objectiveProblem({ balance, dynamics, loss }: Objective): string | null {
  if (loss !== "kl-literal" || (balance === "db" && dynamics === "joint")) return null;
  return `kl-literal is a sum over intentions at every step and goes with db and joint, not with ${balance} and ${dynamics}`;
}

function checkExpected({ balance, dynamics, loss }: Objective): void {
  if (dynamics !== "expected") return;
  if (balance !== "db") {
    throw new RangeError(
      `objective.balance: the dynamics expected compare one step with what is expected after it, so they go with db, got ${balance}`,
    );
  }
  if (loss === "huber") {
    throw new RangeError(
      "objective.loss: the dynamics expected go with squared (soft Q-learning) and kl (expected flows), got huber",
    );
  }
}

/** Expectations are over what the environment answers to an intention, so nobody else may choose the outcomes. */
function checkAnswers({ objective, mixture, replay }: Settings): void {
  if (objective.dynamics !== "expected") return;
  for (const name of ["uniform", "offline"] as const) {
    if (isAlways(mixture[name], 0)) continue;
    throw new RangeError(
      `mixture.${name}: such objects come without intentions, which the dynamics expected need; set it to 0 and use exploration.epsilon or mixture.replay`,
    );
  }
  if (!isAlways(mixture.replay, 0) && replay.priority !== 0) {
    throw new RangeError(
      `replay.priority: drawing episodes by score favours lucky outcomes, which biases the dynamics expected; it must be 0, got ${replay.priority}`,
    );
  }
}

/** Whether a network reads what was intended. */
export function isThoughtful({ policy, dynamics }: Partial<Pick<Settings, "policy" | "dynamics">>): boolean {
  return [policy, dynamics].some((network) => network?.encoder && network.encoder.reads !== "realised");
}

/** Networks that read what was intended need episodes in which that is known, and a balance that can hold with it. */
function checkReading(settings: Settings): void {
  const { objective, mixture, objectLaw, policy } = settings;
  const { balance, dynamics, loss } = objective;
  if ((dynamics === "thought") !== (objectLaw !== undefined)) {
    throw new RangeError(
      objectLaw
        ? `objectLaw: a model of how likely objects are goes with the dynamics thought, not with ${dynamics}`
        : "objectLaw: the dynamics thought need a model of how likely objects are",
    );
  }
  checkPositive("objectLaw.rateScale", objectLaw?.rateScale ?? 1);
  checkPositive("objectLaw.memoryRateScale", objectLaw?.memoryRateScale ?? 1);
  if (dynamics === "thought" && !(balance === "tb" && loss === "kl")) {
    throw new RangeError(
      `objective: the dynamics thought go with the balance tb and the loss kl, got ${balance} and ${loss}`,
    );
  }
  if (dynamics === "thought" && !(policy.encoder && policy.encoder.reads !== "realised")) {
    throw new RangeError(
      "objective.dynamics: thought is for a policy that reads it; give policy.encoder, reading thought or both",
    );
  }
  if (!isThoughtful(settings)) return;
  if (dynamics === "joint" || dynamics === "none-intended") {
    throw new RangeError(
      `objective.dynamics: ${dynamics} has a backward policy that would have to read the thought as well; use marginal or thought`,
    );
  }
  for (const name of ["uniform", "offline"] as const) {
    if (isAlways(mixture[name], 0)) continue;
    throw new RangeError(
      `mixture.${name}: such objects come without the thought that is read; set it to 0 and use exploration.epsilon or mixture.replay`,
    );
  }
}

/** Whether the objective needs a model of the dynamics. */
export function learnsDynamics({ dynamics }: Objective): boolean {
  return dynamics === "joint" || dynamics === "marginal" || dynamics === "thought";
}

/** Shares must fit into the batch, and leave something to learn the dynamics from. */
function checkMixture({ mixture, batch, objective }: Settings): void {
  const peak = (share: Course) => (typeof share === "number" ? share : Math.max(share.from, share.to));
  const largest = Object.values(mixture).reduce<number>((sum, share) => sum + peak(share), 0);
  if (largest > 1 + 1e-9) {
    throw new RangeError(`mixture: the shares may be ${largest} together; at most 1 leaves room for them`);
  }
  const givenAt = (progress: number) =>
    Object.values(mixture).reduce<number>(
      (rows, share) => rows + Math.round(courseAt(share, progress) * batch),
      0,
    );
  const fills = Array.from({ length: PROBES + 1 }, (_, i) => i / PROBES).every((p) => givenAt(p) >= batch);
  if (fills && learnsDynamics(objective)) {
    throw new RangeError(
      "mixture: the shares fill the batch throughout, and the dynamics are learned only from episodes that the environment plays; leave it some rows",
    );
  }
}

/** Moments of a run at which shares are looked at. */
const PROBES = 100;

function checkWhole(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`${name} must be a whole number of at least 1, got ${value}`);
  }
}

function checkNumber(name: string, value: number, low: number): void {
  if (!(value >= low && Math.abs(value) < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${name} must be a number${low === 0 ? " that is not negative" : ""}, got ${value}`);
  }
}

function checkPositive(name: string, value: number): void {
  if (!(value > 0)) throw new RangeError(`${name} must be positive, got ${value}`);
}
