import { expect, test } from "vitest";
import { formatTable } from "./report.ts";
import { deviationOf, TABLE } from "./seconds.ts";

test("the deviation of a row is the largest of its runs, with its sign", () => {
  const runs = [60.6, 56.4, 61.8].map((seconds) => ({ seconds, iterations: 10 }));
  expect(deviationOf(60, runs).deviation).toBeCloseTo(-0.06, 12);
});

test("the table says which rows keep the time", () => {
  const row = (setting: string, seconds: number) => ({
    ...{ bench: "seconds", setting, condition: "alone" },
    ...deviationOf(60, [{ seconds, iterations: 1200 }]),
  });
  const [, first, second] = formatTable([row("tfbind8", 61.2), row("regime", 64)], TABLE).split("\n");
  expect(first).toMatch(/tfbind8 +alone +60 s +61\.20 s +\+2\.0 % +yes +1200/);
  expect(second).toMatch(/regime +alone +60 s +64\.00 s +\+6\.7 % +no +1200/);
});
