// The release as a user installs it: with the package of this platform, and without it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { npmWarnings, ownErrors } from "./run.ts";
import {
  createUserProject,
  PLATFORM_PACKAGE,
  PLATFORM_TARBALL,
  TARBALLS,
  type UserProject,
} from "./user-project.ts";

const TRAIN = ["gflownet", "train", "tfbind8", "--iterations", "20"];

let project: UserProject;
afterAll(() => project?.remove());

/** Platform packages that are installed. */
function nativePackages(): string[] {
  return Object.keys(project.packages)
    .filter((path) => path.includes("@gflownet/"))
    .map((path) => path.replace("node_modules/", ""));
}

describe("with the package of this platform", () => {
  beforeAll(async () => {
    project?.remove();
    project = await createUserProject(TARBALLS);
    console.log(`npm i gflownet took ${project.installation.seconds.toFixed(1)} s`);
  });

  test("npm installs it alone of all platforms, warns about nothing and runs no install script", () => {
    expect(npmWarnings(project.installation)).toEqual([]);
    expect(nativePackages()).toEqual([PLATFORM_PACKAGE]);
    expect(Object.keys(project.packages)).not.toContain("node_modules/onnxruntime-node");
    const withScript = Object.entries(project.packages).filter(
      ([, { hasInstallScript }]) => hasInstallScript,
    );
    expect(withScript).toEqual([]);
  });

  test("training runs on the native engine, and nothing is on standard error", async () => {
    const ended = await project.npx(...TRAIN);
    expect(ownErrors(ended)).toBe("");
    expect(ended.status).toBe(0);
    expect(ended.stdout).toContain("20 iterations of 128, seed 0, native on 1 thread");
  });
});

describe("without the package of this platform", () => {
  beforeAll(async () => {
    project?.remove();
    project = await createUserProject(TARBALLS.filter((file) => file !== PLATFORM_TARBALL));
  });

  test("npm installs the rest and warns about nothing", () => {
    expect(npmWarnings(project.installation)).toEqual([]);
    expect(nativePackages()).toEqual([]);
  });

  test("training runs on the jax engine and says so, with the reason and the remedy", async () => {
    const ended = await project.npx(...TRAIN);
    expect(ended.status, ended.stderr).toBe(0);
    expect(ended.stdout).toContain("20 iterations of 128, seed 0, jax on 1 thread");
    expect(ended.stderr).toContain("The native engine is missing: everything runs on the jax engine");
    expect(ended.stderr).toMatch(
      new RegExp(
        `${PLATFORM_PACKAGE} is not installed; install it with: npm install ${PLATFORM_PACKAGE}@\\d`,
      ),
    );
  });
});
