// How the command line ends when something is wrong: one sentence on stderr and a non-zero exit code.

/** A mistake in what the user typed. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** Exit code for mistakes in the command, as opposed to failures while it runs. */
export const USAGE_EXIT_CODE = 2;

/** Says what went wrong. `GFLOWNET_DEBUG=1` adds where. */
export function report(error: unknown): number {
  const message = error instanceof Error ? explain(error) : String(error);
  process.stderr.write(`gflownet: ${message}\n`);
  if (process.env.GFLOWNET_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return error instanceof UsageError ? USAGE_EXIT_CODE : 1;
}

/** File-system and memory errors in plain words; our own errors already are. */
function explain(error: Error): string {
  const { code, path: source, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const path = dest ?? source;
  switch (code) {
    case "ENOENT":
      return `${path} does not exist.`;
    case "EACCES":
    case "EPERM":
      return `${path} cannot be accessed: permission denied.`;
    case "EISDIR":
      return `${path} is a folder, not a file.`;
    case "ENOTDIR":
      return `${path} is not in a folder.`;
    case "ENOSPC":
      return `the disk is full; ${path ?? "nothing"} was not written.`;
    case "EROFS":
      return `${path} is on a disk that cannot be written.`;
    default:
      break;
  }
  if (
    /Array buffer allocation failed|Invalid typed array length|bad.?alloc|Failed to allocate|memory32|Memory\.grow|out of memory/i.test(
      error.message,
    )
  ) {
    return "there is too little memory for this; use a smaller network or batch.";
  }
  return error.message.split("\n")[0];
}
