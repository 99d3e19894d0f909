import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";
import { SLOW_TESTS } from "./test/support/slow-tests.ts";

/** Tests that mock a module, or need one that no other file has changed: they must not share loaded modules with other files. */
const ISOLATED = [
  "src/engine/web.test.ts",
  "src/gfn/training/disposal.test.ts",
  "src/cli/add-task.test.ts",
  "src/design/rounds/policy.test.ts",
];

/** The package by name, as its users import it: every subpath export as its source file. */
const exports = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).exports;
const alias = Object.entries<string | { readonly default: string }>(exports)
  .map(([subpath, target]) => [subpath, typeof target === "string" ? target : target.default] as const)
  .filter(([, file]) => file.endsWith(".js"))
  .map(([subpath, file]) => ({
    find: new RegExp(`^gflownet${subpath.slice(1)}$`),
    replacement: fileURLToPath(
      new URL(file.replace("./dist/", "./src/").replace(/\.js$/, ".ts"), import.meta.url),
    ),
  }));

interface TestFiles {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The configuration of some test files: all that match `include` and not `exclude`. */
export const suite = (files: TestFiles): ViteUserConfig => ({
  resolve: { alias },
  test: {
    // One more than the number of cores, because tests of the command line often wait for another process.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowFilesFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: [...files.include],
          exclude: [...configDefaults.exclude, ...files.exclude],
          // Files share the modules that a worker has loaded, because loading them again takes long.
          isolate: false,
          globalSetup: ["test/support/test-folder.ts", "test/support/skipped-tests.ts"],
        },
      },
      ...(files.exclude.includes(ISOLATED[0])
        ? [{ extends: true as const, test: { name: "isolated", include: [...ISOLATED] } }]
        : []),
    ],
  },
});

export default defineConfig(
  suite({
    include: [
      "src/**/*.test.ts",
      "web/**/*.test.ts",
      "test/**/*.test.ts",
      "bench/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    // Slow tests have a command of their own (npm run test:slow), browser tests need a browser (npm run test:browser), and
    // those of the package also the npm registry (npm run test:package).
    exclude: ["test/browser/**", "test/package/**", ...SLOW_TESTS, ...ISOLATED],
  }),
);
