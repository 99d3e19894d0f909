// The project of a user who installs the release: an empty folder, and `npm i gflownet`.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { serveTarballs } from "./registry.ts";
import { type Ended, run } from "./run.ts";

export const RELEASE = process.env.GFLOWNET_RELEASE!;
export const PLATFORM_PACKAGE = `@gflownet/native-${process.platform}-${process.arch}`;

/** The tarballs of the release: absolute paths. */
export const TARBALLS = readdirSync(RELEASE).map((name) => join(RELEASE, name));
export const MAIN_TARBALL = TARBALLS.find((file) => /gflownet-\d/.test(file))!;
export const PLATFORM_TARBALL = TARBALLS.find((file) =>
  file.includes(`native-${process.platform}-${process.arch}-`),
)!;

export interface UserProject {
  readonly folder: string;
  /** The output of `npm i gflownet`, and how long it took. */
  readonly installation: Ended & { readonly seconds: number };
  /** The installed packages by path, as npm lists them: `node_modules/commander`. */
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  npx(...args: readonly string[]): Promise<Ended>;
  /** Writes a file and returns its absolute path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Installs gflownet into an empty project, from a registry that has these tarballs. */
export async function createUserProject(tarballs: readonly string[]): Promise<UserProject> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gflownet-user-")));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "user", private: true, type: "module" }),
  );
  const registry = await serveTarballs(tarballs);
  const started = performance.now();
  const installation = await run("npm", ["i", "gflownet", "--registry", registry.url], folder);
  const seconds = (performance.now() - started) / 1000;
  await registry.close();
  if (installation.status !== 0) throw new Error(`npm i gflownet failed:\n${installation.stderr}`);
  const { packages } = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"));
  return {
    folder,
    installation: { ...installation, seconds },
    packages,
    npx: (...args) => run("npx", ["--no", ...args], folder),
    write: (name, text) => {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
