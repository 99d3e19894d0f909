// Help that depends on the task: `train --help` shows the tasks and the common settings, `train tfbind8 --help` all
// settings of that task. The module loads quickly, because `--help` needs it.

import { Help, type Option } from "commander";
import { CONFIG_KEYS, tasksWith } from "../config/config.ts";
import { UserError } from "../issues.ts";
import { TASKS } from "../tasks/registry.ts";
import { commandLine } from "./command-name.ts";
import { helpOf, SCHEDULE_HELP, takesSchedule } from "./config-flags.ts";
import type { InputCommand } from "./input.ts";
import { unknownTask } from "./task-name.ts";

export interface TaskHelp {
  /** Tasks of the command. */
  readonly tasks: readonly string[];
  /** Keys that the help shows without a task. Default: all. */
  readonly common?: readonly string[];
}

/** Makes the help of a command depend on its argument `task`. */
export function helpByTask(command: InputCommand, { tasks, common }: TaskHelp): void {
  const standard = new Help();
  const isShown = (option: Option): boolean => {
    const key = option.attributeName();
    if (!Object.hasOwn(CONFIG_KEYS, key)) return true;
    const task = taskOf(command, tasks);
    if (task === undefined) return common?.includes(key) ?? true;
    return key !== "task" && (tasksWith(key)?.some(({ name }) => name === task) ?? true);
  };
  const visibleOptions = () => standard.visibleOptions(command).filter(isShown);
  command.configureHelp({
    visibleOptions,
    optionDescription(option) {
      const task = taskOf(command, tasks);
      const key = option.attributeName();
      const isOwn = option.description === helpOf(key); // not one that the command has changed
      return task !== undefined && isOwn ? (helpOf(key, task) ?? "") : standard.optionDescription(option);
    },
  });
  command.addHelpText("after", () => {
    const paragraphs = [
      ...(visibleOptions().some(({ flags }) => takesSchedule(flags)) ? [SCHEDULE_HELP] : []),
      ...(taskOf(command, tasks) === undefined && common ? [tasksHelp(command, tasks)] : []),
    ];
    return paragraphs.map((text) => `\n${text}`).join("\n");
  });
}

/** The task among the words of the command line. Throws a UserError if it does not exist. */
function taskOf(command: InputCommand, tasks: readonly string[]): string | undefined {
  const end = command.args.findIndex((word) => word === "--help" || word === "-h");
  const [operand] = end < 0 ? command.args : command.args.slice(0, end);
  // Words after --help were not parsed: they may be values of flags.
  const task = operand ?? command.args.find((word) => tasks.includes(word)) ?? command.opts().task;
  if (task !== undefined && !tasks.includes(task)) {
    throw new UserError([{ path: "task", code: "unknown", message: unknownTask(task, tasks) }]);
  }
  return task;
}

function tasksHelp(command: InputCommand, tasks: readonly string[]): string {
  const width = Math.max(...tasks.map((name) => name.length));
  const lines = TASKS.filter(({ name }) => tasks.includes(name)).map(
    ({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`,
  );
  const example = commandLine(command.name(), tasks[0], "--help");
  return `Tasks:\n${lines.join("\n")}\n\nAll options and settings of a task, for example: ${example}`;
}
