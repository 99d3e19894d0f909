// Makes the tarballs of a release once for all tests of the package, with the command of the documents.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./run.ts";

export default async function setup(): Promise<() => void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gflownet-package-")));
  const release = join(folder, "release");
  const { status, stdout, stderr } = await run("npm", ["run", "release", "--", "--out", release], ".");
  if (status !== 0) throw new Error(`npm run release failed:\n${stderr}`);
  // Tests inherit these environment variables.
  process.env.GFLOWNET_RELEASE = release;
  process.env.GFLOWNET_RELEASE_OUTPUT = stdout;
  return () => rmSync(folder, { recursive: true, force: true });
}
