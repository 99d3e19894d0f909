// Runs commands as a user would, without the npm settings of this repository's scripts.

import { execFile } from "node:child_process";

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end without blocking, so that this process can serve packages meanwhile. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const shell = process.platform === "win32";
  const options = { cwd, shell, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  return new Promise((done) => {
    execFile(
      command,
      args,
      { ...options, env: { ...userEnvironment(), ...env } },
      (error, stdout, stderr) => {
        done({
          status: error === null ? 0 : typeof error.code === "number" ? error.code : 1,
          stdout,
          stderr,
        });
      },
    );
  });
}

/** `npm run` describes this package in variables that begin with npm_; settings of the machine are kept. */
function userEnvironment(): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_)|npm_config_(local_prefix|prefix|global_prefix)$|NODE_OPTIONS$|VITEST|NODE_ENV$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

/** The warnings of npm, without those about settings of this machine. */
export function npmWarnings({ stdout, stderr }: Ended): string[] {
  return `${stdout}\n${stderr}`
    .split("\n")
    .filter((line) => /^npm warn/i.test(line) && !/Unknown (user|env|global|builtin|cli) config/.test(line));
}

/** Standard error without the lines of npm, which `npx` adds. */
export function ownErrors({ stderr }: Ended): string {
  return stderr
    .split("\n")
    .filter((line) => !line.startsWith("npm "))
    .join("\n")
    .trim();
}
