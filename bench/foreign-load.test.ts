import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { busyTicks, ownTicks, watchForeignLoad } from "./foreign-load.ts";

test("a processor is busy in user, nice and system mode, with interrupts, and while the host runs others", () => {
  const stat = "cpu  1000 200 30 99999 88888 4 5 6 777 66\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  expect(busyTicks(stat)).toBe(1000 + 200 + 30 + 4 + 5 + 6);
});

test("the time of a process includes that of its ended children, whatever the name of its program", () => {
  const stat =
    "42 (a) b (c) R 1 42 42 0 -1 4194304 100 0 1 0 1000 200 30 4 20 0 1 0 1242931 3133440 407 184467440737\n";
  expect(ownTicks(stat)).toBe(1000 + 200 + 30 + 4);
});

describe.skipIf(!existsSync("/proc/stat"))("on Linux", () => {
  test("the time of a child counts as that of this process once the child has ended", async () => {
    const ticks = () => ownTicks(readFileSync("/proc/self/stat", "utf8"));
    const before = ticks();
    const burn = "let used; do used = process.cpuUsage(); while (used.user + used.system < 500_000);";
    await promisify(execFile)(process.execPath, ["-e", burn]);
    expect(ticks() - before).toBeGreaterThanOrEqual(49);
  });

  test("the load of others is a number of processors", async () => {
    const foreignLoad = watchForeignLoad();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(foreignLoad()).toBeGreaterThanOrEqual(0);
  });
});
