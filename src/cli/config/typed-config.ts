// From what was typed to a config, with all that is wrong with it said at once.

import { nearest } from "../nearest.ts";
import type { StrangeFlags, Typed } from "../typed.ts";
import { COMMAND_LINE, ConfigError, show } from "./error.ts";
import { kebab } from "./flags.ts";
import { type Config, TASKS, type TaskName } from "./keys.ts";
import { mergeConfig, parseConfig } from "./parse.ts";

/** Flags come on top of a file, if there is one. Throws a ConfigError with all problems, each with the flag it is about. */
export function parseTyped({ flags, wrong }: Typed, file: Config = {}): Config {
  // Commander puts an empty text where nothing could be read.
  const readable = Object.fromEntries(Object.entries(flags).filter(([name]) => !wrong.has(name)));
  return parseConfig(mergeConfig(file, readable), COMMAND_LINE, {
    wrong,
    called: (name) => (name in flags || wrong.has(name) ? flagNameOf(name) : name),
  });
}

/** For a command without settings: throws if something is wrong with a flag. */
export function checkTyped(wrong: ReadonlyMap<string, string>): void {
  if (wrong.size > 0) throw new ConfigError(COMMAND_LINE, linesOf(wrong));
}

/** Adds the task, which is typed without a flag. */
export function withTask({ flags, wrong }: Typed, task: string | undefined): Typed {
  if (task === undefined) return { flags, wrong };
  const known = (TASKS as readonly string[]).includes(task);
  const typedTwice = flags.task !== undefined && flags.task !== task;
  if (known && !typedTwice) return { flags: { ...flags, task: task as TaskName }, wrong };
  const meant = nearest(task, TASKS);
  const hint = meant ? `did you mean ${meant}?` : `there are ${TASKS.join(", ")}`;
  const problem = known
    ? `it is ${task}, and --task says ${flags.task}; give one of them`
    : `there is no ${show(task)}; ${hint}`;
  return { flags, wrong: new Map([["task", problem], ...wrong]) };
}

/** Flags that do not exist, each with what may have been meant, and what else is wrong. */
export function strangeFlagsError({ strange, known, wrong }: StrangeFlags): ConfigError {
  const lines = strange.map((flag) => {
    const meant = nearest(flag, known);
    return `there is no flag ${flag.slice(0, 60)}${meant ? `; did you mean ${meant}?` : ""}`;
  });
  return new ConfigError(COMMAND_LINE, [...lines, ...linesOf(wrong)]);
}

function linesOf(wrong: ReadonlyMap<string, string>): string[] {
  return [...wrong].map(([name, problem]) => `${flagNameOf(name)}: ${problem}`);
}

/** The task is mostly typed without its flag. */
function flagNameOf(name: string): string {
  return name.startsWith("--") || name === "task" ? name : `--${kebab(name)}`;
}
