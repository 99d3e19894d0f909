// Tests that the programs in examples/ run, and that their results agree with their headers.

import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";

/** Runs an example and returns its output. It runs in this process, where the library is loaded already. */
async function run(name: string): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    await import(`../examples/${name}.ts`);
    return log.mock.calls.map((words) => `${words.join(" ")}\n`).join("");
  } finally {
    log.mockRestore();
  }
}

/** All numbers that follow a word in a text. */
function numbersAfter(word: string, text: string): number[] {
  return [...text.matchAll(new RegExp(`${word} ([0-9.]+)`, "g"))].map((match) => Number(match[1]));
}

test.each(["ball-and-pins", "maze"])("%s: training comes near the limit", async (name) => {
  const output = await run(name);
  const [before, after] = numbersAfter("KL", output);
  const [limit] = numbersAfter("limit", output);
  expect(before).toBeGreaterThan(1);
  expect(after).toBeLessThan(limit + 0.03);
});

test.each(["ball-and-pins", "maze"])(
  "%s: the world takes at most 20 lines and no arrays of numbers",
  (name) => {
    const lines = readFileSync(`examples/${name}.ts`, "utf8").split("\n");
    const last = lines.indexOf("});");
    const world = lines.slice(0, last + 1).filter((line) => !/^(\/\/|import|$)/.test(line));
    expect(world.length).toBeLessThanOrEqual(20);
    expect(world.join("\n")).not.toMatch(/Array|numpy/);
  },
);

test("own-environment: training ends near the limit", async () => {
  const output = await run("own-environment");
  const [before, after] = numbersAfter("KL", output);
  const [limit] = numbersAfter("limit", output);
  expect(before).toBeGreaterThan(0.5);
  expect(after).toBeLessThan(limit + 0.005);
});

test("own-oracle: the mean score rises", async () => {
  const scores = numbersAfter("mean score", await run("own-oracle"));
  expect(scores.at(-1)).toBeGreaterThan(scores[0] + 0.2);
});

test("noise-matters: plain detailed balance ends far from the target, kl near it", async () => {
  const [plain, kl] = numbersAfter("TV", await run("noise-matters"));
  expect(plain).toBeGreaterThan(0.08);
  expect(kl).toBeLessThan(0.03);
});
