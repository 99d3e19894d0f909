// The examples run as printed, and show what they say.

import { expect, test, vi } from "vitest";

/** What a program of its own would print; it runs here, where the library is loaded already. */
async function run(name: string): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    await import(`../examples/${name}.ts`);
    return log.mock.calls.map((words) => `${words.join(" ")}\n`).join("");
  } finally {
    log.mockRestore();
  }
}

/** All numbers that follow a word. */
function numbersAfter(word: string, text: string): number[] {
  return [...text.matchAll(new RegExp(`${word} ([0-9.]+)`, "g"))].map((match) => Number(match[1]));
}

test("an environment of one's own ends near its limit", async () => {
  const output = await run("own-environment");
  const [before, after] = numbersAfter("KL", output);
  const [limit] = numbersAfter("limit", output);
  expect(before).toBeGreaterThan(0.5);
  expect(after).toBeLessThan(limit + 0.005);
});

test("an oracle of one's own is asked, and better strings are found", async () => {
  const scores = numbersAfter("mean score", await run("own-oracle"));
  expect(scores.at(-1)).toBeGreaterThan(scores[0] + 0.2);
});

test("noise matters: the plain form ends far from the target, the KL form near it", async () => {
  const [plain, kl] = numbersAfter("TV", await run("noise-matters"));
  expect(plain).toBeGreaterThan(0.08);
  expect(kl).toBeLessThan(0.03);
});
