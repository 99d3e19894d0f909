// The keys of a config as flags. The module loads quickly, because `--help` needs it.

import { Option } from "commander";
import { COMPARISON_KEYS } from "../compare/comparison-keys.ts";
import { CONFIG_KEYS, type Config, definitionOf, tasksWith } from "../config/config.ts";
import { translateNames } from "../issues.ts";
import { SCHEDULE_SHAPES } from "../nn/optim/schedule.ts";
import { defaultText, GROUPS, type Group } from "../settings/keys.ts";
import type { InputCommand } from "./input.ts";

export interface ConfigFlag {
  readonly key: string;
  /** The flag itself: `--learning-rate`. */
  readonly name: string;
  /** With its argument, for commander: `--learning-rate <x|from:to>`. */
  readonly flags: string;
  /** For a switch, the flag that turns it off. */
  readonly negation?: string;
  readonly group: Group;
  /** One line: meaning, rule and default. */
  readonly help: string;
}

/** Options whose flag has another name: the noise levels of a comparison have the flag of the noise level of a task. */
const OTHER_NAMES: Readonly<Record<string, string>> = { sticks: "stick" };

export const CONFIG_FLAGS: readonly ConfigFlag[] = Object.entries(CONFIG_KEYS).map(
  ([key, { kind, group }]) => {
    const name = `--${kebab(key)}`;
    const negation = negationOf(key);
    return {
      key,
      name,
      flags: kind.argument === null ? name : `${name} ${kind.argument}`,
      ...(negation && { negation }),
      group,
      help: helpOf(key) as string,
    };
  },
);

/** The flag that turns a switch off. */
function negationOf(key: string): string | undefined {
  return CONFIG_KEYS[key].kind.argument === null ? `--no-${kebab(key)}` : undefined;
}

/** One line of help for a key: meaning, rule and default; for one task, its own default. Undefined for other names. */
export function helpOf(key: string, task?: string): string | undefined {
  if (!Object.hasOwn(CONFIG_KEYS, key)) return undefined;
  const described = CONFIG_KEYS[key];
  const { kind, help } = described;
  const owners = tasksWith(key);
  const scope = task === undefined && owners?.length === 1 ? `${owners[0].name}: ` : "";
  const negation = negationOf(key);
  const rule = negation ? `; ${negation} turns it off` : kind.argument === "<name>" ? `; ${kind.rule}` : "";
  const ofTask = task === undefined ? undefined : taskDefault(key, task);
  const byDefault = ofTask === undefined ? defaultText(described) : kind.toText(ofTask);
  return translateNames(`${scope}${help}${rule} (default: ${byDefault})`, flagOf);
}

/** The default of a setting that a task changes. */
function taskDefault(key: string, task: string): unknown {
  return (definitionOf({ task }).settings as Readonly<Record<string, unknown>> | undefined)?.[key];
}

const SCHEDULE = "<x|from:to>";
export const SCHEDULE_HELP = `${SCHEDULE} is a number, or a schedule from:to[:shape[:until]] over the run.
The shape is one of ${SCHEDULE_SHAPES.join(", ")}; until is the fraction of the run
after which the value stays constant. Example: 0.5:0:linear:0.6`;

/** Whether the value of a flag may be a schedule. */
export function takesSchedule(flags: string): boolean {
  return flags.includes(SCHEDULE);
}

export interface FlagSelection {
  /** Additional keys from other groups. */
  readonly plus?: readonly string[];
  readonly minus?: readonly string[];
  /** Tasks of the command: options of other tasks get no flag. Default: all tasks. */
  readonly tasks?: readonly string[];
  /** Help of keys that have a different meaning in this command. */
  readonly help?: Readonly<Record<string, string>>;
}

/** Adds the flags of some groups (default: all) to a command. Flags have no default
 * value, so that the parsed options contain only flags that the user gave. */
export function addConfigFlags(
  command: InputCommand,
  groups = Object.keys(GROUPS) as readonly Group[],
  { plus = [], minus = [], tasks, help: changed = {} }: FlagSelection = {},
): void {
  const selected = CONFIG_FLAGS.filter(
    ({ group, key }) =>
      (groups.includes(group) || plus.includes(key)) &&
      !minus.includes(key) &&
      (tasks === undefined || (tasksWith(key)?.some(({ name }) => tasks.includes(name)) ?? true)),
  );
  for (const { key, flags, negation, help, group } of selected) {
    const heading = `${GROUPS[group]}:`;
    const text = changed[key] ?? help;
    const option = negation ? new Option(flags, text) : command.flag(flags, text, CONFIG_KEYS[key].kind, key);
    command.addOption(option.helpGroup(heading));
    if (negation) command.addOption(new Option(negation).helpGroup(heading).hideHelp());
  }
}

/** The keys of a config among commander's options. */
export function configOfFlags(options: Readonly<Record<string, unknown>>): Config {
  return Object.fromEntries(
    Object.keys(CONFIG_KEYS).flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  );
}

/**
 * The flag of a config key or of an option of a comparison. Returns other names unchanged, and also `task`, which is
 * usually an argument.
 */
export function flagOf(path: string): string {
  const isOption = Object.hasOwn(CONFIG_KEYS, path) || Object.hasOwn(COMPARISON_KEYS, path);
  return isOption && path !== "task" ? `--${kebab(OTHER_NAMES[path] ?? path)}` : path;
}

/** `learningRate` as `learning-rate`. */
export function kebab(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
