import { configDefaults, defineConfig } from "vitest/config";

/** Tests that put something in place of a module, which no other file may see. */
const MOCKING = ["src/gfn/disposal.test.ts"];

export default defineConfig({
  test: {
    // One less than there are cores by default, which on two cores is one.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
          // These want a browser: npm run test:browser.
          exclude: [...configDefaults.exclude, "test/browser/**", ...MOCKING],
          // Files share the modules that a worker has loaded: loading them anew takes as long as many tests.
          isolate: false,
          globalSetup: "test/support/test-folder.ts",
        },
      },
      { extends: true, test: { name: "isolated", include: MOCKING } },
    ],
  },
});
