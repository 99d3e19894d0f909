// The keys of a config as flags, for the command line and its help. It loads quickly.

import { Option } from "commander";
import type { TypedCommand } from "../typed.ts";
import { SHAPES } from "./course-kind.ts";
import { show } from "./error.ts";
import {
  type Config,
  GROUPS,
  type Group,
  isFor,
  KEY_NAMES,
  type KeyName,
  keyOf,
  TASKS,
  type TaskName,
} from "./keys.ts";

export interface Flag {
  readonly key: KeyName;
  /** As it is typed: `--learning-rate`. */
  readonly name: string;
  /** With its argument, as commander takes it: `--learning-rate <x|from:to>`. */
  readonly flags: string;
  /** For a switch, what turns it off. */
  readonly negation?: string;
  readonly group: Group;
  /** One line: what it is, its rule and its default. */
  readonly help: string;
  /** The value of a text, or what is wrong with it. */
  read(text: string): { readonly value: unknown } | { readonly problem: string };
}

export function flagsOf(): Flag[] {
  return KEY_NAMES.map((key) => {
    const { kind, group, help, default: byDefault, task } = keyOf(key);
    const name = `--${kebab(key)}`;
    const fallback = "value" in byDefault ? kind.toText(byDefault.value) : inFlags(byDefault.depends);
    const scope = task ? `${task}: ` : "";
    const off = kind.argument === null ? `--no-${kebab(key)}` : undefined;
    const rule = off ? `; ${off} turns it off` : kind.argument === "<name>" ? `; ${kind.rule}` : "";
    return {
      key,
      name,
      flags: kind.argument === null ? name : `${name} ${kind.argument}`,
      ...(off && { negation: off }),
      group,
      help: `${scope}${inFlags(help)}${rule} (default: ${fallback})`,
      read(text) {
        const value = kind.fromText(text);
        const problem = value === undefined ? `must be ${kind.rule}` : kind.problem(value);
        if (problem === null) return { value };
        return { problem: `${problem.replace(/, got .*$/s, "")}, got ${show(text)}` };
      },
    };
  });
}

/** How values that change are written. */
const COURSE = "<x|from:to>";
const COURSE_HELP = `${COURSE} is a number, or a course of the run: from:to[:shape[:until]],
where shape is one of ${SHAPES.join(", ")}, and until is the part of
the run after which it stays: 0.5:0:linear:0.6.`;

export interface FlagChoice {
  /** Keys of other groups. */
  readonly plus?: readonly KeyName[];
  readonly minus?: readonly KeyName[];
  /** Tasks of the command: keys of others have no flag. All of them if not given. */
  readonly tasks?: readonly TaskName[];
  /** What to say instead where a key is something else to the command. */
  readonly help?: Partial<Record<KeyName, string>>;
}

/**
 * Adds the flags of some groups to a command, under their headings; of all groups if none are named, and of some keys
 * more or less. No flag has a default: what is not typed is not said.
 */
export function addConfigFlags(
  command: TypedCommand,
  groups = Object.keys(GROUPS) as readonly Group[],
  { plus = [], minus = [], tasks = TASKS, help: own = {} }: FlagChoice = {},
): void {
  const added = flagsOf().filter(
    ({ group, key }) =>
      (groups.includes(group) || plus.includes(key)) &&
      !minus.includes(key) &&
      tasks.some((task) => isFor(key, task)),
  );
  for (const { key, flags, negation, help, group, read } of added) {
    const heading = `${GROUPS[group]}:`;
    const option = new Option(flags, own[key] ?? help).helpGroup(heading);
    const parse = (text: string) => {
      const found = read(text);
      if ("problem" in found) {
        command.wrong.set(key, found.problem);
        return undefined;
      }
      command.wrong.delete(key); // typed again, and the last one counts
      return found.value;
    };
    command.addOption(negation ? option : option.argParser(parse));
    if (negation) command.addOption(new Option(negation).helpGroup(heading).hideHelp());
  }
  if (added.some(({ flags }) => flags.includes(COURSE))) command.addHelpText("after", `\n${COURSE_HELP}`);
}

/** What commander understood, without what is no key of a config. */
export function configOfFlags(options: Readonly<Record<string, unknown>>): Config {
  return Object.fromEntries(
    KEY_NAMES.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  );
}

/** A sentence about keys as one about flags; keys of one word are words like others. */
export function inFlags(text: string): string {
  return text.replaceAll(/\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (word) =>
    (KEY_NAMES as readonly string[]).includes(word) ? `--${kebab(word)}` : word,
  );
}

/** The name of a key as a flag, without dashes before it. */
export function kebab(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
