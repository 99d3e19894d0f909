// Default settings of a run with a call budget, which trains off-policy on the data set of all scored objects.

import { withoutUndefined } from "../../settings/without-undefined.ts";
import { hasRegimes, isSequence } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";
import { OBJECTIVES } from "../objectives/objective.ts";
import { type DataSetSettings, dataSetSettings } from "./data-set-settings.ts";
import { defaultSettings } from "./defaults.ts";
import type { Settings, SettingsInput } from "./settings.ts";

/** Trajectories that the dynamics model learns from. */
const DYNAMICS_REPLAY = { dynamicsReplayCapacity: 4096, dynamicsReplayBatch: 64 };
/**
 * Most letters of a string whose default network is a perceptron. It learns a motif anew at every position: with 15,000 calls
 * for the count of a motif of four letters, it covers 92 % of the way to the target in strings of 16 letters, 66 % in 20 and
 * 23 % in 30. A recurrent network covers all of it, and takes about twice as long.
 */
const MOST_PERCEPTRON_LETTERS = 12;
const RECURRENT = { network: "recurrent", encoderLayers: 1 } as const;

/**
 * Default settings of an environment for a run with a call budget, overridden by `changes`.
 *
 * The balance is VarGrad, a regression of log-probabilities on log-rewards: it learns no flows and no log Z, and where the
 * target is within reach, its minimum does not depend on how batches are drawn from the data set. Without noise, the
 * outcome is the action (dynamics `none`); with noise, the policy is trained through the dynamics model (`marginal`). The last
 * layer starts at zero, so that the policy starts uniform, and a smooth activation makes it generalise better from few
 * objects. Strings of more than 12 letters are read by a recurrent network.
 */
export function callBudgetSettings(environment: Environment, changes: SettingsInput = {}): Settings {
  const given = withoutUndefined(changes);
  const objective = given.objective ?? (isNoisy(environment) ? "sdb-marginal" : "tb");
  const dynamics = given.dynamics ?? OBJECTIVES[objective].dynamics;
  return defaultSettings(environment, {
    objective,
    ...(given.objective === undefined && { balance: "vargrad" }),
    ...(isLongSequence(environment) && !choosesNetworks(given) && dynamics !== "thought" && RECURRENT),
    activation: "gelu",
    outputInit: "zeros",
    stateTableRows: 0,
    stateTableRateScale: 1,
    uniformShare: 0,
    // Exploration ends early, because mean matching learns from rows without it only.
    epsilon: { from: 0.1, to: 0, until: 0.25 },
    ...DYNAMICS_REPLAY,
    ...given,
  });
}

/** Default settings of the data set, overridden by `changes`. Mean matching weights draws of the uniform policy, and needs to
 * know how likely they are, so it is the default without noise and with stick noise. */
export function callBudgetDataSettings(
  environment: Environment,
  changes: Partial<DataSetSettings> = {},
): DataSetSettings {
  return dataSetSettings({ matchMeanScore: keepsUniform(environment), ...withoutUndefined(changes) });
}

function isLongSequence(environment: Environment): boolean {
  return isSequence(environment) && environment.length > MOST_PERCEPTRON_LETTERS;
}

/** Whether the caller decides what the policy reads. */
function choosesNetworks({ network, state, encoder, dynamicsEncoder }: SettingsInput): boolean {
  return [network, state, encoder, dynamicsEncoder].some((given) => given !== undefined);
}

/** Whether the outcomes of uniformly drawn actions are uniformly distributed: stick noise replaces an action by a uniformly
 * drawn one, other noise does not. */
function keepsUniform(environment: Environment): boolean {
  const { noiseDescription, outcomeAllowed } = environment;
  return noiseDescription === undefined && outcomeAllowed === undefined && !hasRegimes(environment);
}

/** Whether an action may have an outcome other than the intended one. */
function isNoisy(environment: Environment): boolean {
  const { stick, noiseDescription, outcomeAllowed } = environment;
  // Outcomes with numbers of their own are no actions, so they need a dynamics model even without noise.
  const sameNumbers = outcomeAllowed === undefined;
  return stick > 0 || noiseDescription !== undefined || hasRegimes(environment) || !sameNumbers;
}
