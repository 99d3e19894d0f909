import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findEarlier } from "./earlier-checkout.ts";
import { runProcess } from "./harness.ts";

test("an earlier version runs in its own folder, with the commit as its version", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "earlier-")));
  const git = (...parameters: string[]) =>
    execFileSync("git", ["-C", folder, ...parameters])
      .toString()
      .trim();
  git("init", "--quiet");
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
  git(...author, "commit", "--quiet", "--allow-empty", "-m", "first");
  await expect(findEarlier({ GFLOWNET_EARLIER: folder })).rejects.toThrow(
    `GFLOWNET_EARLIER must be the folder of a checkout of this repository in which \`npm ci\` has run: ${folder} has no bench/worker.ts.`,
  );
  mkdirSync(join(folder, "bench"));
  symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"));
  writeFileSync(
    join(folder, "bench/worker.ts"),
    "console.log(JSON.stringify({ rate: Number(process.argv[4]), threads: Number(process.argv[6]) }))",
  );
  const earlier = await findEarlier({ GFLOWNET_EARLIER: folder });
  expect(earlier?.version).toBe(git("rev-parse", "--short", "HEAD"));
  expect(await runProcess(earlier!.command("training-default", 128, 3))).toEqual({ rate: 128, threads: 1 });
});

test("without GFLOWNET_EARLIER there is no earlier version", async () => {
  expect(await findEarlier({})).toBeUndefined();
});
