// Collects the issues and notes of a problem file, with the line that each is about.

import { type Issue, shorten, throwIssues } from "../issues.ts";

/** Issues that are listed; a file with more is probably not a problem file. */
const MOST_LISTED = 20;

/** Issues and notes of one problem file. */
export interface Report {
  /** Adds an issue. Its line is that of the path, or else of the nearest part of the file above it. */
  issue(path: string, code: string, message: string): void;
  /** Adds a sentence on something that was read differently from how it was written. */
  note(path: string, message: string): void;
  /** Remembers the line of a path. */
  at(path: string, line: number | undefined): void;
  readonly notes: readonly string[];
  /** Whether there are more issues than are listed, so that more of them need no advice. */
  readonly isFull: boolean;
  /** Throws a UserError with all issues in the order of their lines, if there are any. */
  throwIssues(source?: string): void;
}

export function problemReport(): Report {
  const issues: { readonly issue: Issue; readonly line: number }[] = [];
  const notes: string[] = [];
  const lines = new Map<string, number>();
  const lineOf = (path: string): number | undefined => {
    for (let part = path; part !== ""; part = part.replace(/(\.|\[)[^.[]*$|^[^.[]*$/, "")) {
      const line = lines.get(part);
      if (line !== undefined) return line;
    }
    return undefined;
  };
  const withLine = (path: string, message: string) => {
    const line = lineOf(path);
    return line === undefined ? message : `${message} (line ${line})`;
  };
  return {
    notes,
    get isFull() {
      return issues.length > MOST_LISTED;
    },
    issue(path, code, message) {
      const issue = { path, code, message: withLine(path, message) };
      issues.push({ issue, line: lineOf(path) ?? Number.POSITIVE_INFINITY });
    },
    note: (path, message) => notes.push(`${path}: ${withLine(path, message)}`),
    at(path, line) {
      if (line !== undefined) lines.set(path, line);
    },
    throwIssues(source) {
      const sorted = issues.toSorted((a, b) => a.line - b.line || 0).map(({ issue }) => issue);
      const more = sorted.length - MOST_LISTED;
      const rest: Issue = { path: "", code: "more", message: `there are ${more} more` };
      throwIssues(more > 1 ? [...sorted.slice(0, MOST_LISTED), rest] : sorted, { source });
    },
  };
}

/** The path of a key of a map. Keys of a file may be long, and may hold the signs of a path. */
export function keyPath(path: string, key: string): string {
  const name = /^[^.[\]]*$/.test(key) ? shorten(key) : JSON.stringify(shorten(key));
  return path === "" ? name : `${path}.${name}`;
}
