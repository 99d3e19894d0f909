// The command as the user started it, for hints that can be copied: `gflownet`, `npx gflownet`, `node dist/cli/main.js` …

import { basename, delimiter, dirname, isAbsolute, relative, resolve } from "node:path";
import { shellPath } from "./paths.ts";

/** The name of the program, of its command in a package, and of the script that runs it in a clone. */
const NAME = "gflownet";

/** What a process knows about how it was started. */
export interface Invocation {
  /** The path of the script, `process.argv[1]`. */
  readonly script: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** A command line for a hint: `commandLine("train", "--resume", folder)`. Words that need it are quoted. */
export function commandLine(...words: readonly string[]): string {
  return [commandName(), ...words].join(" ");
}

/** How the user would start the program again. */
export function commandName(
  { script, env, platform }: Invocation = {
    script: process.argv[1] ?? NAME,
    env: process.env,
    platform: process.platform,
  },
): string {
  return nameInPackageManager(env) ?? nameOfScript({ script, env, platform });
}

/** Set if a package manager started this program. Its variables are inherited, so they may belong to another program. */
function nameInPackageManager(env: Invocation["env"]): string | undefined {
  const {
    npm_lifecycle_event: event,
    npm_lifecycle_script: script = "",
    npm_config_user_agent: agent = "",
  } = env;
  const isThisProgram = /\bgflownet\b|\bcli[\\/]main\.[jt]s\b/.test(script);
  if (event === undefined || !isThisProgram) return undefined;
  const manager = agent.split("/")[0];
  if (event === NAME)
    return manager === "" || manager === "npm" ? `npm run ${NAME} --` : `${manager} run ${NAME}`;
  return LOCAL_COMMANDS[manager] ?? LOCAL_COMMANDS.npm;
}

/** How package managers run the command of an installed package. */
const LOCAL_COMMANDS: Readonly<Record<string, string>> = {
  npm: `npx ${NAME}`,
  pnpm: `pnpm exec ${NAME}`,
  yarn: `yarn ${NAME}`,
  bun: `bunx ${NAME}`,
};

function nameOfScript({ script, env, platform }: Invocation): string {
  if (/\.[cm]?ts$/.test(script)) return `npx tsx ${shellPath(script)}`;
  if (/\.[cm]?js$/.test(script)) {
    // On Windows a command of a package is a small file that starts Node with the script inside the package.
    const isInstalled = platform === "win32" && /[\\/]node_modules[\\/]/.test(script);
    return isInstalled ? NAME : `node ${shellPath(script)}`;
  }
  const folders = (env.PATH ?? "").split(delimiter);
  const isOnPath = folders.some((folder) => folder !== "" && resolve(folder) === dirname(resolve(script)));
  if (isOnPath || !isAbsolute(script)) return basename(script);
  const short = shellPath(script);
  return short === script || short.startsWith("'") || relative(process.cwd(), script).includes("/")
    ? short
    : `./${short}`;
}
