import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";

/** Tests that mock a module: they must not share loaded modules with other files. */
const MOCKING = ["src/gfn/training/disposal.test.ts", "src/cli/add-task.test.ts"];

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

export default defineConfig({
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
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts", "scripts/**/*.test.ts"],
          // The browser tests need a browser (npm run test:browser), those of the package also the npm registry
          // (npm run test:package).
          exclude: [...configDefaults.exclude, "test/browser/**", "test/package/**", ...MOCKING],
          // Files share the modules that a worker has loaded, because loading them again takes long.
          isolate: false,
          globalSetup: "test/support/test-folder.ts",
        },
      },
      { extends: true, test: { name: "isolated", include: MOCKING } },
    ],
  },
});
