import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/browser/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The default of one second is too short for a page on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
