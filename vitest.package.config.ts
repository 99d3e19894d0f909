import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/package/*.test.ts"],
    // One after the other: each installs packages and trains.
    fileParallelism: false,
    globalSetup: "test/package/release-folder.ts",
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
