import { beforeEach, describe, expect, test } from "vitest";
import type { EvaluationEvent, TrainEvent } from "../gfn/events.ts";
import { Display } from "./display.ts";

let written: string[];
let time: number;
beforeEach(() => {
  written = [];
  time = 0;
});

function display(screen: { isTTY?: boolean; columns?: number } = {}): Display {
  return new Display({ ...screen, write: (text: string) => written.push(text) }, () => time);
}

const start: TrainEvent = {
  kind: "start",
  engine: "native",
  programs: ["train", "evaluate"],
  iterations: 1000,
  seconds: null,
  parameters: { policy: 10, dynamics: 5 },
  resumedAt: null,
};
const end: TrainEvent = { kind: "end", iterations: 1000, seconds: 10, stopped: false };
const iteration = (number: number, loss = 1, dynamicsLoss: number | null = null): TrainEvent => ({
  ...{ kind: "iteration", iteration: number, loss, dynamicsLoss, gradientNorm: 1 },
});
const measures = { tv: 0.5, kl: 0.25, pearson: 1, spearman: 1, expectedReward: 1 };
const evaluation: EvaluationEvent = {
  ...{ kind: "evaluation", exact: true, iteration: 500, seconds: 5, uniform: measures },
  reached: { ...measures, logZError: 0, dynamicsKl: null },
  limit: { ...measures, tv: 0.125, kl: 1e-7, gap: 0 },
};
const sampled: EvaluationEvent = {
  ...{ kind: "evaluation", exact: false, iteration: 500, seconds: 5, oracleCalls: 7 },
  sampled: { meanScore: 0.75 } as never,
};

describe("in a file or pipe", () => {
  test("it writes lines: at once, every five seconds, and at the last iteration", () => {
    const shown = display();
    shown.handle(start);
    for (let i = 1; i <= 1000; i++) {
      time += 10;
      shown.handle(iteration(i));
    }
    shown.handle(end);
    expect(written).toEqual([
      "Compiled: train, evaluate.\n",
      "1/1,000  100/s  loss 1.0000  10 s left\n",
      "501/1,000  100/s  loss 1.0000  5 s left\n",
      "1,000/1,000  100/s  loss 1.0000  0 s left\n",
    ]);
  });

  test("evaluations have lines of their own, and nothing moves", () => {
    const shown = display();
    for (const event of [evaluation, sampled]) shown.handle(event);
    shown.handle(iteration(1));
    shown.clear();
    expect(written.slice(0, 2)).toEqual([
      "after 500 iterations: TV 0.5000 (limit 0.1250)  KL 0.2500 (limit 1.0e-7)\n",
      "after 500 iterations: mean score 0.7500\n",
    ]);
    for (const mark of ["\r", "\x1b"]) expect(written.join("")).not.toContain(mark);
    expect(written).toHaveLength(3);
  });

  test("losses are averages over some fifty iterations", () => {
    const shown = display();
    shown.handle({ ...start, iterations: 51 });
    for (let i = 1; i <= 51; i++) shown.handle(iteration(i, i === 1 ? 1 : 0, i === 1 ? 2 : 0));
    const factor = 0.98 ** 50;
    expect(written.at(-1)).toContain(`loss ${factor.toFixed(4)}  dynamics ${(2 * factor).toFixed(4)}`);
  });

  test("a run that goes on says so, and its rate leaves out what was made before", () => {
    const shown = display();
    shown.handle({ ...start, resumedAt: 900 });
    time = 1000;
    shown.handle(iteration(950));
    expect(written).toEqual(["Going on after iteration 900.\n", "950/1,000  50/s  loss 1.0000  1 s left\n"]);
  });
});

describe("on a terminal", () => {
  const RESET = "\r\x1b[2K";

  test("one line is drawn again, ten times a second, and is gone at the end", () => {
    const shown = display({ isTTY: true });
    shown.handle(start);
    for (let i = 1; i <= 999; i++) {
      time += 10;
      shown.handle(iteration(i));
    }
    expect(written).toHaveLength(100);
    expect(written.every((text) => text.startsWith(RESET) && !text.includes("\n"))).toBe(true);
    expect(written[50]).toBe(
      `${RESET}${"█".repeat(12)}${"░".repeat(12)} 501/1,000  100/s  loss 1.0000  5 s left`,
    );
    shown.handle(end);
    expect(written.at(-1)).toBe(RESET);
  });

  test("the last evaluation stands in it", () => {
    const shown = display({ isTTY: true });
    shown.handle(start);
    shown.handle(evaluation);
    expect(written).toEqual([]);
    time = 1000;
    shown.handle(iteration(501));
    expect(written[0]).toContain("  TV 0.5000 (limit 0.1250)  KL 0.2500 (limit 1.0e-7)  1 s left");
  });

  test("it is never wider than the screen, which may change", () => {
    const screen = { isTTY: true, columns: 40, write: (text: string) => written.push(text) };
    const shown = new Display(screen, () => time);
    shown.handle(start);
    shown.handle(iteration(1));
    expect(written[0]).toHaveLength(RESET.length + 39);
    screen.columns = 30;
    time = 200;
    shown.handle(iteration(2));
    expect(written[1]).toHaveLength(RESET.length + 29);
  });

  test("what has a line of its own takes the place of the moving one", () => {
    const shown = display({ isTTY: true });
    shown.handle({ ...start, resumedAt: 0 });
    expect(written).toEqual([`${RESET}Going on after iteration 0.\n`]);
  });
});
