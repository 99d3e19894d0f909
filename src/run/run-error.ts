// What can go wrong with a run on disk, in one sentence with its path.

export class RunError extends Error {
  override readonly name: string = "RunError";
}

/** The folder that was named is none for this: another name will do. */
export class RunNameError extends RunError {
  override readonly name: string = "RunNameError";
}

/** Another process has the run. */
export class RunLockedError extends RunError {
  override readonly name: string = "RunLockedError";
  readonly pid: number;

  constructor(message: string, pid: number) {
    super(message);
    this.pid = pid;
  }
}

/** Does something with a file or folder; errors of the disk become a RunError. */
export async function onDisk<T>(
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

/** The error of the disk as a sentence; other errors stay as they are. */
export function diskError(verb: "read" | "written", path: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof RunError || code === undefined) return error;
  const reason = REASONS[code] ?? message.split("\n")[0];
  return new RunError(`${path} cannot be ${verb}: ${reason}`, { cause: error });
}

const UNHARMED = "what was written before is unharmed";
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: `the disk is full; ${UNHARMED}`,
  EDQUOT: `your share of the disk is full; ${UNHARMED}`,
  EFBIG: `it would be larger than files may be here (see ulimit -f); ${UNHARMED}`,
  EIO: "the disk reports an error",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENAMETOOLONG: "its name is too long",
  EMFILE: "too many files are open (see ulimit -n)",
  ENFILE: "too many files are open on this machine",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link, and a run's files are its own",
};
