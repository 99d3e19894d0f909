import { defineConfig } from "vitest/config";
import { SLOW_TESTS } from "./test/support/slow-tests.ts";
import { suite } from "./vitest.config.ts";

export default defineConfig(suite({ include: SLOW_TESTS, exclude: [] }));
