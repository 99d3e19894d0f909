// Checks the options of a task by the same rules as a config.

import { type Issue, throwIssues } from "../issues.ts";
import type { Key, Keys } from "../settings/keys.ts";
import { problemOf } from "../settings/kinds.ts";

/**
 * Throws a UserError with the issues of single options. If there are none, it throws a UserError with the issues of
 * combinations of options, which the function `issues` returns.
 */
export function checkTaskOptions<O extends object>(
  keys: Keys<O>,
  issues: ((options: O) => Issue[]) | undefined,
  options: O,
): void {
  const invalid = Object.entries<Key>(keys as Readonly<Record<string, Key>>).flatMap(
    ([path, { kind, default: byDefault }]): Issue[] => {
      const value = options[path as keyof O];
      // An option whose default depends on others may be absent.
      if (value === undefined && "depends" in byDefault) return [];
      const message = problemOf(kind, value);
      return message ? [{ path, code: "range", message }] : [];
    },
  );
  throwIssues(invalid);
  throwIssues(issues?.(options) ?? []);
}
