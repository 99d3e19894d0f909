// `gflownet help`: the help of a command, or of one of its tasks.

import { show, UserError } from "../../issues.ts";
import { nearest } from "../../settings/nearest.ts";
import type { InputCommand } from "../input.ts";

/** Prints the help of the command that the words name; words behind it are its arguments. */
export async function help(from: InputCommand, words: readonly string[]): Promise<void> {
  let command = from;
  let rest = words;
  while (rest.length > 0 && command.commands.length > 0) {
    command = findCommand(command, rest[0]);
    rest = rest.slice(1);
  }
  await command.parseAsync([...rest, "--help"], { from: "user" });
}

function findCommand(parent: InputCommand, name: string): InputCommand {
  const found = parent.commands.find((command) => command.name() === name);
  if (found) return found as InputCommand;
  const names = parent.commands.map((command) => command.name());
  const meant = nearest(name, names);
  throw new UserError(
    `there is no command ${show(name)}; ${meant ? `did you mean ${meant}?` : `commands are ${names.join(", ")}`}`,
  );
}
