// Builds a config from command-line input, and reports all issues at once.

import { type Config, TASK_NAMES } from "../config/config.ts";
import { mergeConfig, parseConfig } from "../config/parse.ts";
import { type Issue, shorten, throwIssues, UserError } from "../issues.ts";
import { nearest } from "../settings/nearest.ts";
import type { ConfigInput, UnknownFlags } from "./input.ts";
import { unknownTask } from "./task-name.ts";

/** Combines flags with a config file, which they override. Throws a UserError with all issues. */
export async function parseInput({ flags, issues }: ConfigInput, file: Config = {}): Promise<Config> {
  return parseConfig(mergeConfig(file, validFlags({ flags, issues })), { issues });
}

/** The flags without issues, that is, without those that could not be parsed. */
export function validFlags({ flags, issues }: ConfigInput): Config {
  const invalid = new Set(issues.map(({ path }) => path));
  return Object.fromEntries(Object.entries(flags).filter(([key]) => !invalid.has(key)));
}

/** Adds the task, which is an argument without a flag. */
export function withTask({ flags, issues }: ConfigInput, task: string | undefined): ConfigInput {
  if (task === undefined) return { flags, issues };
  const exists = TASK_NAMES.includes(task);
  const contradicts = flags.task !== undefined && flags.task !== task;
  if (exists && !contradicts) return { flags: { ...flags, task }, issues };
  const message = exists
    ? `the argument is ${task}, but --task is ${flags.task}; give one of them`
    : unknownTask(task, TASK_NAMES);
  return { flags, issues: [{ path: "task", code: "unknown", message }, ...issues] };
}

/** For a command without a config: throws if a flag is invalid. */
export function checkInput(issues: readonly Issue[]): void {
  throwIssues(issues);
}

/** Unknown flags with suggestions, and the issues of the other flags. */
export function unknownFlagsError({ unknown, known, issues }: UnknownFlags): UserError {
  const messages = unknown.map((flag): Issue => {
    const meant = nearest(flag, known);
    const message = `there is no flag ${shorten(flag)}${meant ? `; did you mean ${meant}?` : ""}`;
    return { path: "", code: "unknown", message };
  });
  return new UserError([...messages, ...issues]);
}
