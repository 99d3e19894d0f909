import { join } from "node:path";
import { expect, test } from "vitest";
import { shellPath, shortPath } from "./paths.ts";

test("a folder is printed relative to the working directory, or in full outside it", () => {
  expect(shortPath(join(process.cwd(), "runs", "tfbind8-1"))).toBe(join("runs", "tfbind8-1"));
  for (const path of [process.cwd(), join(process.cwd(), "..", "other"), "/elsewhere"]) {
    expect(shortPath(path)).toBe(path);
  }
});

test("a path with special characters is quoted for a shell", () => {
  expect(shellPath(join(process.cwd(), "runs/a-1"))).toBe("runs/a-1");
  expect(shellPath("/data/my run")).toBe("'/data/my run'");
  expect(shellPath("/data/it's")).toBe("'/data/it'\\''s'");
});
