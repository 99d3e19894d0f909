// The check of the options of a task, by the same rules as in a config.

import { type Issue, throwIssues } from "../issues.ts";
import type { Key, Keys } from "../settings/keys.ts";
import { problemOf } from "../settings/kinds.ts";

/**
 * Throws a UserError with all issues: those of single options, or else those between options, which `issues` returns for
 * options that are valid one by one.
 */
export function checkTaskOptions<O extends object>(
  keys: Keys<O>,
  issues: ((options: O) => Issue[]) | undefined,
  options: O,
): void {
  const invalid = Object.entries<Key>(keys as Readonly<Record<string, Key>>).flatMap(
    ([path, { kind }]): Issue[] => {
      const message = problemOf(kind, options[path as keyof O]);
      return message ? [{ path, code: "range", message }] : [];
    },
  );
  throwIssues(invalid);
  throwIssues(issues?.(options) ?? []);
}
