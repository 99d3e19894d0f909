// The reason why something cannot be read, as one sentence for a page.

import { fileProblem, isFileProblem, UserError } from "../issues.ts";

export function explainProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UserError) return error.message;
  if (!isFileProblem(error)) return error.message.split("\n")[0];
  const { path } = error as NodeJS.ErrnoException;
  return `${path ?? "a file"} cannot be read: ${fileProblem(error)}`;
}
