import { expect, test } from "vitest";
import type { Entry } from "../src/views/page-data.ts";
import { progressText, remainingText, timeAgo } from "./format.ts";

test("times are told in the largest unit that fits, and old ones as a date", () => {
  const now = Date.UTC(2026, 4, 20);
  const ago = (seconds: number) => timeAgo(now - seconds * 1000, now);
  expect([0, 59, 60, 3599, 3600, 86_399, 86_400, 3 * 86_400].map(ago)).toEqual([
    ...["0 s ago", "59 s ago", "1 min ago", "59 min ago", "1 h ago", "23 h ago", "1 day ago", "3 days ago"],
  ]);
  expect(ago(20 * 86_400)).toBe("2026-04-30");
  expect(timeAgo(now + 5000, now)).toBe("0 s ago");
});

test("progress has the planned number if it is known", () => {
  expect(progressText(1200, 2000)).toBe("1,200 of 2,000 iterations");
  expect(progressText(7, null)).toBe("7 iterations");
});

test("the remaining time follows from the speed so far", () => {
  const entry = { iteration: 100, iterations: 400, seconds: 50 } as Entry;
  expect(remainingText(entry)).toBe("about 2 min 30 s left");
  expect(remainingText({ ...entry, iteration: 0 })).toBeNull();
  expect(remainingText({ ...entry, iterations: null })).toBeNull();
  expect(remainingText({ ...entry, iteration: 400 })).toBeNull();
});
