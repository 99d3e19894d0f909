// Default settings of a run with a call budget, which trains off-policy on the data set of all scored objects.

import { withoutUndefined } from "../../settings/without-undefined.ts";
import { hasRegimes } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";
import { defaultSettings } from "./defaults.ts";
import type { Settings, SettingsInput } from "./settings.ts";

export function callBudgetSettings(environment: Environment, changes: SettingsInput = {}): Settings {
  const given = withoutUndefined(changes);
  return defaultSettings(environment, {
    ...(isNoisy(environment) ? {} : { objective: "subtb" }),
    uniformShare: 0,
    epsilon: 0.05,
    dynamicsReplayCapacity: 4096,
    ...given,
  });
}

function isNoisy(environment: Environment): boolean {
  const { stick, noiseDescription } = environment;
  return stick > 0 || noiseDescription !== undefined || hasRegimes(environment);
}
