// Errors about runs on disk. Each message is one sentence with the path.

import { fileProblem, type Remediable, type Remedy } from "../issues.ts";

/** A run folder cannot be read or written. */
export class RunError extends Error implements Remediable {
  override readonly name: string = "RunError";
  readonly remedy?: Remedy;

  constructor(message: string, { remedy, ...options }: ErrorOptions & Remediable = {}) {
    super(message, options);
    if (remedy) this.remedy = remedy;
  }
}

/** The named folder cannot be used; another name can. */
export class RunNameError extends RunError {
  override readonly name: string = "RunNameError";
}

/** Another process holds the lock of the run. */
export class RunLockedError extends RunError {
  override readonly name: string = "RunLockedError";
  readonly pid: number;

  constructor(message: string, pid: number) {
    super(message);
    this.pid = pid;
  }
}

/** Runs an action on a file or folder, and turns file-system errors into a RunError. */
export async function withDiskErrors<T>(
  verb: "read" | "written",
  path: string,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw diskError(verb, path, error);
  }
}

/** A file-system error as a RunError with an explanation. Returns other errors unchanged. */
export function diskError(verb: "read" | "written", path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof RunError || code === undefined) return error;
  const reason =
    code === "ELOOP"
      ? "it is a symbolic link, but the files of a run must not be links"
      : `${fileProblem(error)}${FULL.includes(code) ? "; files written before are intact" : ""}`;
  return new RunError(`${path} cannot be ${verb}: ${reason}`, { cause: error });
}

/** Codes of a file that has no room. */
const FULL = ["ENOSPC", "EDQUOT", "EFBIG"];
