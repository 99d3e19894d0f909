// The examples run as printed, and show what they say.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

function run(name: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", `examples/${name}.ts`], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

/** All numbers that follow a word. */
function numbersAfter(word: string, text: string): number[] {
  return [...text.matchAll(new RegExp(`${word} ([0-9.]+)`, "g"))].map((match) => Number(match[1]));
}

test("an environment of one's own ends near its limit", () => {
  const output = run("own-environment");
  const [before, after] = numbersAfter("KL", output);
  const [limit] = numbersAfter("limit", output);
  expect(before).toBeGreaterThan(0.5);
  expect(after).toBeLessThan(limit + 0.005);
});

test("an oracle of one's own is asked, and better strings are found", () => {
  const scores = numbersAfter("mean score", run("own-oracle"));
  expect(scores.at(-1)).toBeGreaterThan(scores[0] + 0.2);
});

test("noise matters: the plain form ends far from the target, the KL form near it", () => {
  const [plain, kl] = numbersAfter("TV", run("noise-matters"));
  expect(plain).toBeGreaterThan(0.08);
  expect(kl).toBeLessThan(0.03);
});
