import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    // These want a browser: npm run test:browser.
    exclude: [...configDefaults.exclude, "test/browser/**"],
    testTimeout: 60_000,
  },
});
