import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    // These want a browser: npm run test:browser.
    exclude: [...configDefaults.exclude, "test/browser/**"],
    // One less than there are cores by default, which on two cores is one.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
