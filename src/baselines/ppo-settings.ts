// The settings of PPO as plain data: defaults and checks.

import type { Environment } from "../gfn/environment/environment.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { SETTING_KEYS } from "../gfn/training/settings-table.ts";
import { type Issue, throwIssues } from "../issues.ts";
import type { Schedule } from "../nn/optim/schedule.ts";
import { fixedDefaults } from "../settings/keys.ts";
import { type Kind, problemOf } from "../settings/kinds.ts";
import { PPO_KEYS, PPO_SHARED_SETTINGS, type PpoOwnSettings, type PpoSharedSetting } from "./ppo-keys.ts";

/** Settings of PPO. Those that GFlowNets have too have the same names. */
export interface PpoSettings extends Pick<Settings, PpoSharedSetting> {
  /** Updates per iteration, all on the same trajectories. */
  readonly epochs: number;
  /** Largest norm of the gradient. */
  readonly clip: number;
  /** Half-width of the interval around 1 to which the ratio of new to old probabilities is clipped. */
  readonly ratioClip: number;
  /**
   * λ of generalised advantage estimation: with 0, advantages use the critic after one step; with 1, the reward at the
   * end.
   */
  readonly lambda: number;
  /** Weight of the entropy bonus. It must end at 0 for the policy to converge to the largest expected reward. */
  readonly entropyWeight: Schedule;
  /** Weight of the squared error of the critic. */
  readonly valueWeight: number;
}

/**
 * Settings for an environment, overridden by `changes`. Network sizes, batch size and learning rate have the same
 * defaults as for a GFlowNet. The entropy bonus starts large: with an eighth of this weight, some seeds stay at the
 * first good object that they find.
 */
export function defaultPpoSettings(
  environment: Environment,
  changes: Partial<PpoSettings> = {},
): PpoSettings {
  const defaults = defaultSettings(environment);
  const shared = Object.fromEntries(PPO_SHARED_SETTINGS.map((name) => [name, defaults[name]]));
  return {
    ...(shared as Pick<Settings, PpoSharedSetting>),
    ...(fixedDefaults(PPO_KEYS) as PpoOwnSettings),
    ...changes,
  };
}

/** Throws a UserError with all settings that are out of their range. */
export function checkPpoSettings(settings: PpoSettings): void {
  throwIssues(invalidPpoSettings(settings));
}

/** The issues of all settings that are out of their range. */
function invalidPpoSettings(settings: PpoSettings): Issue[] {
  const kinds = {
    ...Object.fromEntries(PPO_SHARED_SETTINGS.map((name) => [name, SETTING_KEYS[name].kind])),
    ...Object.fromEntries(Object.entries(PPO_KEYS).map(([name, { kind }]) => [name, kind])),
  };
  return Object.entries(kinds).flatMap(([path, kind]) => {
    const message = problemOf(kind as Kind<unknown>, settings[path as keyof PpoSettings]);
    return message ? [{ path, code: "range", message }] : [];
  });
}
