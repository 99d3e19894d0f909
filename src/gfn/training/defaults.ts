// Default settings of an environment: constants from the table of settings, and values that depend on the environment and
// on other settings.

import { fixedDefaults } from "../../settings/keys.ts";
import { withoutUndefined } from "../../settings/without-undefined.ts";
import { type Environment, isEnumerable } from "../environment/environment.ts";
import { isPreference } from "../environment/preference.ts";
import { OBJECTIVES } from "../objectives/objective.ts";
import { conditionsOnThought, type Settings, type SettingsInput } from "./settings.ts";
import { SETTING_KEYS } from "./settings-table.ts";

/** Largest number of outcomes for which the default objective sums over all actions (the marginal form). */
const MOST_MARGINAL = 64;
/** Largest default state table, in numbers, backward actions included whether an objective reads them or not: updating a larger
 * one takes longer than it helps. */
const LARGEST_STATE_TABLE = 2 ** 20;
/** An update changes few rows of the state table, so a higher learning rate than that of the weights is stable. */
const STATE_TABLE_RATE_SCALE = 7;
const BATCH = 128;
/** Largest number of attention weights of a default batch. With it, training and sampling strings of 256 letters take less
 * than 4 GB. */
const MOST_ATTENTION_WEIGHTS = 2 ** 25;
const EXPLORATION = { from: 0.5, to: 0, until: 0.6 };

/**
 * Default settings of an environment, overridden by `changes`. An enumerable environment gets a state table. At first
 * half of each batch are trajectories to uniformly drawn objects, which speeds up training; this share falls to 0, and
 * the last 40 % of the run is on-policy, where the KL loss converges to the best reachable policy or very near it.
 * Objectives that need the actions of a trajectory explore with uniform actions instead. The dynamics form `thought`
 * trains on-policy from the start and with a lower learning rate, because the learned object marginal must follow the
 * policy.
 *
 * @example
 * ```ts
 * import { defaultSettings, sequenceEnvironment } from "gflownet";
 *
 * const environment = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.25 });
 * const settings = defaultSettings(environment, { objective: "tb", batch: 32 });
 * console.log(settings.balance, settings.loss, settings.batch); // tb squared 32
 * ```
 */
export function defaultSettings(environment: Environment, changes: SettingsInput = {}): Settings {
  const { objective, ...given } = withoutUndefined(changes);
  const named = OBJECTIVES[objective ?? (environment.outcomes <= MOST_MARGINAL ? "kl" : "sdb")];
  const form = { ...named, ...withoutUndefined(pickObjective(given)) };
  const encoder = given.encoder ?? "none";
  const dynamicsEncoder = given.dynamicsEncoder ?? (form.dynamics === "thought" ? encoder : "none");
  const enumerable = isEnumerable(environment);
  const uniform =
    enumerable && form.dynamics !== "expected" && !conditionsOnThought({ ...form, encoder, dynamicsEncoder });
  const objectives = isPreference(environment) ? environment.objectives.length : 1;
  const outputs = (environment.actions + environment.backwardActions + 1) * objectives;
  const table = enumerable && environment.states * outputs <= LARGEST_STATE_TABLE;
  const fixed = fixedDefaults(SETTING_KEYS);
  const byDefault = {
    ...fixed,
    ...form,
    batch: defaultBatch(environment, { ...fixed, ...given, encoder, dynamicsEncoder } as Settings),
    learnLogZ: false,
    rewardExponent: 1,
    stateTableRows: table ? environment.states : 0,
    stateTableRateScale: table ? STATE_TABLE_RATE_SCALE : 1,
    objectMarginalHidden: given.hidden ?? fixed.hidden,
    dynamicsEncoder,
    learningRate: { from: 3e-3, to: 3e-5, shape: "cosine" },
    clip: 0,
    epsilon: uniform ? 0 : EXPLORATION,
    uniformShare: uniform ? EXPLORATION : 0,
    ...(form.dynamics === "thought" && {
      learnLogZ: form.balance === "tb",
      learningRate: { from: 1e-3, to: 1e-5, shape: "cosine" },
      clip: 0.5,
      epsilon: 0,
    }),
  } as Settings;
  return { ...byDefault, ...given };
}

/** Attention takes memory in proportion to the square of the steps, so long strings have smaller batches. */
function defaultBatch({ maxSteps }: Environment, settings: Settings): number {
  const { network, encoder, dynamicsEncoder, encoderLayers, encoderHeads } = settings;
  if (network !== "transformer" && encoder === "none" && dynamicsEncoder === "none") return BATCH;
  const weights = encoderLayers * encoderHeads * maxSteps ** 2;
  let batch = BATCH;
  while (batch > 1 && batch * weights > MOST_ATTENTION_WEIGHTS) batch /= 2;
  return batch;
}

function pickObjective({ balance, dynamics, loss }: SettingsInput): SettingsInput {
  return { balance, dynamics, loss };
}
