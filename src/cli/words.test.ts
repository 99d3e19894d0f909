import { join } from "node:path";
import { expect, test } from "vitest";
import { inShell, shortPath } from "./words.ts";

test("a folder is named from here, or in full if it is elsewhere", () => {
  expect(shortPath(join(process.cwd(), "runs", "tfbind8-1"))).toBe(join("runs", "tfbind8-1"));
  for (const path of [process.cwd(), join(process.cwd(), "..", "other"), "/elsewhere"]) {
    expect(shortPath(path)).toBe(path);
  }
});

test("what a shell would take apart is quoted", () => {
  expect(inShell(join(process.cwd(), "runs/a-1"))).toBe("runs/a-1");
  expect(inShell("/data/my run")).toBe("'/data/my run'");
  expect(inShell("/data/it's")).toBe("'/data/it'\\''s'");
});
