import { beforeEach, describe, expect, test } from "vitest";
import type { EvaluationEvent, TrainEvent } from "../gfn/training/events.ts";
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
  modes: { samples: 9, circles: 7, recall: null, knownModes: null, localMaxima: null },
};
const sampled: EvaluationEvent = {
  ...{ kind: "evaluation", exact: false, iteration: 500, seconds: 5, oracleCalls: 7 },
  sampled: { meanScore: 0.75, tv: null, floor: null } as never,
};

describe("in a file or pipe", () => {
  test("a line is written every five seconds, and at the last iteration", () => {
    const shown = display();
    shown.handle(start);
    for (let i = 1; i <= 1000; i++) {
      time += 10;
      shown.handle(iteration(i));
    }
    shown.handle(end);
    expect(written).toEqual([
      "Compiled: train, evaluate.\n",
      "500/1,000  100/s  loss 1.0000  5 s left\n",
      "1,000/1,000  100/s  loss 1.0000  0 s left\n",
    ]);
  });

  test("a run by seconds has no line before its plan, which says how many iterations there are", () => {
    const shown = display();
    shown.handle({ ...start, iterations: null, seconds: 60 });
    shown.handle(iteration(1));
    expect(written).toEqual(["Compiled: train, evaluate.\n"]);
    shown.handle({
      kind: "plan",
      iteration: 1,
      progress: 0,
      iterations: 500,
      evaluateEvery: null,
      seconds: 1,
    } as TrainEvent);
    time += 5000;
    shown.handle(iteration(101));
    expect(written.at(-1)).toBe("101/500  20/s  loss 1.0000  20 s left\n");
  });

  test("each evaluation has a line, and no line is redrawn", () => {
    const shown = display();
    const compared = { ...sampled, sampled: { meanScore: 0.75, tv: 0.5, floor: 0.25 } as never };
    for (const event of [evaluation, sampled, compared]) shown.handle(event);
    shown.handle({ ...start, iterations: 1 });
    shown.handle(iteration(1));
    shown.clear();
    expect(written).toEqual([
      "after 500 iterations: TV 0.5000 (limit 0.1250)  KL 0.2500 (limit 1.0e-7)  circles 7\n",
      "after 500 iterations: mean score 0.7500\n",
      "after 500 iterations: sampled TV 0.5000 (perfect 0.2500)  mean score 0.7500\n",
      "Compiled: train, evaluate.\n",
      "1/1  loss 1.0000\n",
    ]);
    for (const mark of ["\r", "\x1b"]) expect(written.join("")).not.toContain(mark);
  });

  test("losses are averages over about fifty iterations", () => {
    const shown = display();
    shown.handle({ ...start, iterations: 51 });
    for (let i = 1; i <= 51; i++) shown.handle(iteration(i, i === 1 ? 1 : 0, i === 1 ? 2 : 0));
    const factor = 0.98 ** 50;
    expect(written.at(-1)).toContain(`loss ${factor.toFixed(4)}  dynamics ${(2 * factor).toFixed(4)}`);
  });

  test("a resumed run is labelled, and its rate excludes earlier iterations", () => {
    const shown = display();
    shown.handle({ ...start, resumedAt: 900 });
    shown.handle(iteration(901));
    time = 5000;
    shown.handle(iteration(951));
    expect(written).toEqual(["Resuming after iteration 900.\n", "951/1,000  10/s  loss 1.0000  5 s left\n"]);
  });
});

describe("on a terminal", () => {
  const RESET = "\r\x1b[2K";

  test("one line is redrawn ten times per second, and removed at the end", () => {
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

  test("the line contains the last evaluation", () => {
    const shown = display({ isTTY: true });
    shown.handle(start);
    shown.handle(evaluation);
    expect(written).toEqual([]);
    shown.handle(iteration(1));
    time = 1000;
    shown.handle(iteration(501));
    expect(written[1]).toContain("  TV 0.5000 (limit 0.1250)  KL 0.2500 (limit 1.0e-7)  circles 7  1 s left");
  });

  test.each([
    [
      140,
      "█████████░░░░░░░░░ 501/1,000  500/s  loss 1.0000  dynamics 2.0000  TV 0.5000 (limit 0.1250)  KL 0.2500 (limit 1.0e-7)  modes 75 %  1 s left",
    ],
    [
      100,
      "████░░░ 501/1,000  500/s  loss 1.0000  TV 0.5000 (0.1250)  KL 0.2500 (1.0e-7)  modes 75 %  1 s left",
    ],
    [80, "501/1,000  500/s  TV 0.5000 (0.1250)  KL 0.2500 (1.0e-7)  modes 75 %  1 s left"],
    [70, "501/1,000  500/s  TV 0.5000 (0.1250)  KL 0.2500 (1.0e-7)  1 s left"],
  ])("with %d columns the line has the fields that fit, and always the time left", (columns, line) => {
    const shown = display({ isTTY: true, columns });
    shown.handle(start);
    shown.handle({
      ...evaluation,
      modes: { circles: 7, recall: 0.75, localMaxima: null },
    } as EvaluationEvent);
    shown.handle(iteration(1, 1, 2));
    time = 1000;
    shown.handle(iteration(501, 1, 2));
    expect(written[1]).toBe(`${RESET}${line}`);
  });

  test("the line is never wider than the terminal, which can be resized", () => {
    const screen = { isTTY: true, columns: 40, write: (text: string) => written.push(text) };
    const shown = new Display(screen, () => time);
    shown.handle(start);
    shown.handle(iteration(1));
    time = 1000;
    shown.handle(iteration(201));
    expect(written[1]).toBe(`${RESET}201/1,000  200/s  loss 1.0000  4 s left`);
    screen.columns = 20;
    time = 2000;
    shown.handle(iteration(401));
    expect(written[2]).toBe(`${RESET}401/1,000  200/s  3`);
  });

  test("permanent lines replace the progress line", () => {
    const shown = display({ isTTY: true });
    shown.handle({ ...start, resumedAt: 0 });
    expect(written).toEqual([`${RESET}Resuming after iteration 0.\n`]);
  });
});
