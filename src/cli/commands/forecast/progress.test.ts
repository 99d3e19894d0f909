// The progress line: redrawn on a terminal, at most every five seconds elsewhere.

import { expect, test } from "vitest";
import { ProgressLine } from "../../progress-line.ts";
import { showReading, showTraining } from "./progress.ts";

const EVENT = {
  ...{ iteration: 500, iterations: 2000, loss: 2.5, validationLoss: 2.75 },
  ...{ seconds: 10, iterationsLeft: 1500 },
};

function screenOf(isTTY: boolean, columns = 200) {
  const written: string[] = [];
  return { written, isTTY, columns, write: (text: string) => written.push(text) };
}

test("shows a bar, losses and the remaining time on a terminal", () => {
  const screen = screenOf(true);
  const progress = new ProgressLine(screen);
  showTraining(progress, "TokenModel", EVENT);
  progress.clear();
  expect(screen.written).toEqual([
    "\r\x1b[2K█████░░░░░░░░░░░░░░░ TokenModel  500/2,000  loss 2.5000  validation 2.7500  at most 30 s left",
    "\r\x1b[2K",
  ]);
});

test("cuts the line to the width of the terminal", () => {
  const screen = screenOf(true, 30);
  showTraining(new ProgressLine(screen), "TokenModel", EVENT);
  expect(screen.written[0].replace("\r\x1b[2K", "")).toHaveLength(29);
});

test("writes at most one plain line per five seconds to other outputs", () => {
  const screen = screenOf(false);
  let now = 0;
  const progress = new ProgressLine(screen, () => now);
  for (now of [1000, 5000, 6000, 11_000]) progress.show(`${now}  window 1/2`, 0.5);
  expect(screen.written).toEqual(["5000  window 1/2\n", "11000  window 1/2\n"]);
});

test("shows the phase, the rows and the time of reading a file, after the first second", () => {
  const screen = screenOf(true);
  const progress = new ProgressLine(screen);
  showReading(progress, { phase: "counting", rows: 5000, seconds: 0.9 });
  showReading(progress, { phase: "counting", rows: 2_500_000, seconds: 2 });
  showReading(progress, { phase: "reading", rows: 1000, total: 2000, seconds: 65 });
  expect(screen.written).toEqual([
    "\r\x1b[2K░░░░░░░░░░░░░░░░░░░░ counting 2,500,000 rows  2 s",
    "\r\x1b[2K███████████████░░░░░ reading 1,000 of 2,000 rows  1 min 5 s",
  ]);
});

test("shows nothing without a screen", () => {
  const progress = new ProgressLine(undefined);
  showTraining(progress, "TokenModel", EVENT);
  expect(() => progress.clear()).not.toThrow();
});
