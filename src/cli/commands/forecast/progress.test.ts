// What is shown while models learn: a line that moves on a terminal, and now and then a plain one elsewhere.

import { expect, test } from "vitest";
import { Progress } from "./progress.ts";

const EVENT = { iteration: 500, iterations: 2000, loss: 2.5, validation: 2.75, seconds: 10, left: 1500 };

function screenOf(isTTY: boolean, columns = 200) {
  const written: string[] = [];
  return { written, isTTY, columns, write: (text: string) => written.push(text) };
}

test("a terminal has a bar, how far it is, and how long it may last", () => {
  const screen = screenOf(true);
  const progress = new Progress(screen);
  progress.training("GFlowNet", EVENT);
  progress.clear();
  expect(screen.written).toEqual([
    "\r\x1b[2K█████░░░░░░░░░░░░░░░ GFlowNet  500/2,000  loss 2.5000  validation 2.7500  30 s left at most",
    "\r\x1b[2K",
  ]);
});

test("a narrow terminal has as much of it as there is room for", () => {
  const screen = screenOf(true, 30);
  new Progress(screen).training("GFlowNet", EVENT);
  expect(screen.written[0].replace("\r\x1b[2K", "")).toHaveLength(29);
});

test("elsewhere there is a line every five seconds at most", () => {
  const screen = screenOf(false);
  let now = 0;
  const progress = new Progress(screen, () => now);
  for (now of [1000, 5000, 6000, 11_000]) progress.show(0.5, [`${now}`, "window 1/2"]);
  expect(screen.written).toEqual(["5000  window 1/2\n", "11000  window 1/2\n"]);
});

test("without a screen nothing is shown", () => {
  const progress = new Progress(undefined);
  progress.training("GFlowNet", EVENT);
  expect(() => progress.clear()).not.toThrow();
});
