// The installed release in a user's program: compiled by TypeScript, and bundled by Vite for a browser.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, createLogger } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPage } from "../support/chromium.ts";
import { run } from "./run.ts";
import { createUserProject, TARBALLS, type UserProject } from "./user-project.ts";

let project: UserProject;
beforeAll(async () => {
  project = await createUserProject(TARBALLS);
});
afterAll(() => project?.remove());

/** A page that trains, and keeps the mean score of the policy's samples before and after. */
const PAGE = `import { defaultSettings, longSequenceEnvironment, train } from "gflownet";

const environment = longSequenceEnvironment({ alphabet: "ACDE", length: 5, stick: 0.05 });
const scores = (words: readonly string[]) => words.map((word) => word.split("A").length / 6);
const length = { iterations: 300, evaluateEvery: 300, samples: 4000 };
const options = { ...defaultSettings(environment), environment, scores, seed: 0, ...length };

async function run(): Promise<number[]> {
  const means: number[] = [];
  for await (const event of train(options)) {
    if (event.kind === "evaluation" && !event.exact) means.push(event.sampled.meanScore);
  }
  return means;
}

Object.assign(globalThis, { training: run() });
`;

describe("TypeScript with skipLibCheck: false", () => {
  /** A program that imports every entry of the package. */
  function writeProgram(): void {
    const installed = join(project.folder, "node_modules/gflownet/package.json");
    const { exports } = JSON.parse(readFileSync(installed, "utf8"));
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json"));
    const imports = entries.map((entry, i) => `import * as entry${i} from "gflownet${entry.slice(1)}";`);
    project.write("all.ts", `${imports.join("\n")}\nconsole.log(${entries.map((_, i) => `entry${i}`)});\n`);
    project.write("page.ts", PAGE);
  }

  test.each([
    ["nodenext, in Node without dom", { module: "nodenext", lib: ["es2022"], types: ["node"] }],
    ["bundler, for a browser", { module: "esnext", moduleResolution: "bundler", types: [] }],
    ["bundler, with the latest library", { module: "preserve", lib: ["esnext", "dom"], types: [] }],
  ])("compiles a program with the resolution %s", async (_, options) => {
    writeProgram();
    const typeRoots = [resolve("node_modules/@types")];
    const compilerOptions = { target: "es2022", strict: true, skipLibCheck: false, noEmit: true, typeRoots };
    const config = { compilerOptions: { ...compilerOptions, ...options }, files: ["all.ts", "page.ts"] };
    project.write("tsconfig.json", JSON.stringify(config));
    const compiler = resolve("node_modules/typescript/bin/tsc");
    const { status, stdout } = await run(process.execPath, [compiler, "-p", "."], project.folder);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });
});

test("Vite bundles a page without warnings, and it trains in Chromium", async () => {
  project.write(
    "page/index.html",
    '<!doctype html><link rel="icon" href="data:,"><script type="module" src="./page.ts"></script>',
  );
  project.write("page/page.ts", PAGE);
  const [root, outDir] = [join(project.folder, "page"), join(project.folder, "page/dist")];
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const customLogger = { ...createLogger("silent"), warn, warnOnce: warn, error: warn };
  await build({ root, configFile: false, customLogger, build: { outDir } });
  expect(warnings).toEqual([]);

  const { result, problems } = await openPage({ root, outDir }, (page) =>
    page.evaluate(() => (globalThis as unknown as { training: Promise<number[]> }).training),
  );
  expect(problems).toEqual([]);
  // With n ~ Binomial(5, 1/4) letters A in a random word, a score of (n + 1) / 6 and R(x) = score, the mean score of the
  // target is E[(n + 1)²] / (6 E[n + 1]) = 6 / (6 · 2.25).
  expect(result).toHaveLength(2);
  const target = 6 / (6 * 2.25);
  expect(Math.abs(result[0] - target)).toBeGreaterThan(0.05);
  expect(result[1]).toBeCloseTo(target, 2);
});
