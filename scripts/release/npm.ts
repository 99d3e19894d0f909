// Runs npm: the one that runs this script, if there is one.

import { spawnSync } from "node:child_process";

/** Standard output of an npm command. Throws with its errors if it fails. */
export function npm(args: readonly string[], cwd: string): string {
  const path = process.env.npm_execpath;
  const [command, first, shell] = path
    ? [process.execPath, [path], false]
    : ["npm", [], process.platform === "win32"];
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], {
    ...{ cwd, shell, encoding: "utf8", maxBuffer: 2 ** 28 },
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stderr}`);
  return stdout;
}

/** What `npm pack --json` tells about a tarball. */
export interface PackResult {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Makes a tarball of a folder that is ready to be packed. */
export function pack(folder: string, out: string): PackResult {
  return packResult(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", out], folder));
}

/** The files that npm would pack of a folder. */
export function packedFiles(folder: string): string[] {
  const { files } = packResult(npm(["pack", "--json", "--ignore-scripts", "--dry-run"], folder));
  return files.map(({ path }) => path);
}

/** npm 10 prints a list of packages, npm 12 an object by name. */
function packResult(json: string): PackResult {
  return Object.values(JSON.parse(json) as Record<string, PackResult>)[0];
}
