// The name of a task on the command line. The module loads quickly, because `--help` needs it.

import { show } from "../issues.ts";
import { nearest } from "../settings/nearest.ts";

/** The message for a name that is none of these tasks. */
export function unknownTask(name: string, tasks: readonly string[]): string {
  const meant = nearest(name, tasks);
  return `there is no task ${show(name)}; ${meant ? `did you mean ${meant}?` : `tasks are ${tasks.join(", ")}`}`;
}
