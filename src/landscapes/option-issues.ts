// Checks of the options of landscapes: issues for values that are not of their kind.

import type { Issue } from "../issues.ts";
import { type Kind, problemOf } from "../settings/kinds.ts";

/** The issues of options, each with its path, kind and value. */
export function kindIssues(options: readonly (readonly [string, Kind<never>, unknown])[]): Issue[] {
  return options.flatMap(([path, kind, value]) => {
    const message = problemOf(kind, value);
    return message === null ? [] : [{ path, code: "range", message }];
  });
}
