// Flags for the settings of the learned model, and the parser of `--models`. `--help` loads this file, so its imports are
// light.

import type { ForecasterSpec, LearnedSettings } from "../../../forecast/forecasters/forecaster-by-name.ts";
import { FORECASTERS, TOKEN_MODEL } from "../../../forecast/forecasters/forecaster-names.ts";
import type { ForecastSettings } from "../../../forecast/model/settings.ts";
import { FORECAST_SETTING_KEYS } from "../../../forecast/model/settings-table.ts";
import { translateNames } from "../../../issues.ts";
import { type Described, defaultText } from "../../../settings/keys.ts";
import { type Kind, readText } from "../../../settings/kinds.ts";
import { kebab } from "../../config-flags.ts";
import type { InputCommand } from "../../input.ts";

const NAMES = (Object.keys(FORECAST_SETTING_KEYS) as (keyof ForecastSettings)[]).filter(
  (name): name is keyof LearnedSettings => name !== "horizon" && name !== "season",
);

/** Adds the model flags to a command, except those in `except`. */
export function addModelFlags(command: InputCommand, except: readonly (keyof LearnedSettings)[] = []): void {
  command.optionsGroup("Learned model:");
  for (const name of NAMES) {
    if (except.includes(name)) continue;
    const setting = describedSetting(name);
    const { kind, help } = setting;
    const choices = kind.argument === "<name>" ? `; ${kind.rule}` : "";
    const text = `${help}${choices} (default: ${defaultText(setting)})`;
    const shown = translateNames(text, (key) => `--${kebab(key)}`);
    const flag = `--${kebab(name)}`;
    if (kind.argument === null) command.option(flag, shown);
    else command.addOption(command.flag(`${flag} ${kind.argument}`, shown, kind));
  }
}

function describedSetting(name: keyof LearnedSettings): Described {
  return FORECAST_SETTING_KEYS[name] as Described;
}

/** The model settings among all options of a command. */
export function modelSettings(options: object): LearnedSettings {
  const given = options as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    NAMES.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
}

/** A list of models. The learned model may have settings: `token-model:bins=16:encoder=gru`. */
export const forecasterList: Kind<readonly ForecasterSpec[]> = {
  rule: `a list of ${Object.keys(FORECASTERS).join(", ")}, separated by commas, or ${TOKEN_MODEL}:setting=value`,
  argument: "<a,b>",
  violation(value) {
    const problems = (value as readonly (ForecasterSpec | string)[]).filter((one) => typeof one === "string");
    return problems.length === 0 ? null : { rule: `a list of models in which ${problems[0]}` };
  },
  fromText(text) {
    const specs = text.split(",").map((part) => parseForecaster(part.trim()));
    return specs.includes(undefined) ? undefined : specs;
  },
  toText: (specs) => specs.map(({ name, suffix = "" }) => name + suffix).join(","),
};

/** Parses one model. Returns the rule if a setting breaks one, and undefined if there is no such model. */
function parseForecaster(text: string): ForecasterSpec | string | undefined {
  const [name, ...parts] = text.split(":");
  if (!Object.hasOwn(FORECASTERS, name)) return undefined;
  if (parts.length === 0) return { name };
  if (name !== TOKEN_MODEL) return `${name} has no settings`;
  const settings = parts.map(parseSetting);
  const problem = settings.find((one) => typeof one === "string");
  if (problem !== undefined) return problem;
  return {
    name,
    settings: Object.fromEntries(settings as [string, unknown][]),
    suffix: text.slice(name.length),
  };
}

/** Parses `setting=value` into an entry, or returns the rule that it breaks. */
function parseSetting(text: string): readonly [string, unknown] | string {
  const [setting, ...rest] = text.split("=");
  const key = NAMES.find((name) => kebab(name) === setting);
  if (key === undefined) return `settings are flags of the learned model, not ${setting}`;
  const { kind } = describedSetting(key);
  // Lists use + instead of commas, which separate the models.
  const result = readText(kind, rest.join("=").replaceAll("+", ","));
  return "problem" in result ? `${setting} is ${kind.rule}` : [key, result.value];
}
