// The progress display of a comparison, on a terminal and elsewhere.

import { describe, expect, test } from "vitest";
import type { ExperimentRecord } from "../compare/experiment-record.ts";
import { CompareDisplay } from "./compare-display.ts";

const experiments = ["kl", "metropolis"].map((method) => ({ method, stick: 0.25, seed: 1 }));
const [kl, metropolis] = experiments;
const exact = {
  ...{ tv: 0.125, kl: 0.5, limitTv: 0.0625, limitKl: 0.25, sampledTv: null, sampledFloor: null },
  ...{ modesFound: 3, modes: 4, seconds: 61 },
} as ExperimentRecord;
const sampled = { ...exact, tv: null, kl: null, sampledTv: 0.75, sampledFloor: 0.5 } as ExperimentRecord;

function displayOn(isTTY: boolean, columns = 120) {
  const written: string[] = [];
  let now = 0;
  const screen = { isTTY, columns, write: (text: string) => written.push(text) };
  const display = new CompareDisplay(screen, { total: 4, remaining: 3 }, () => now);
  const later = (seconds: number) => {
    now += 1000 * seconds;
    return display;
  };
  return { written, display, later };
}

describe("without a terminal", () => {
  test("there is one line per finished experiment, and nothing else", () => {
    const { written, display } = displayOn(false);
    for (const experiment of experiments) display.handle({ kind: "started", experiment });
    display.handle({ kind: "progress", experiment: kl, progress: 0.5 });
    display.handle({ kind: "finished", experiment: kl, records: [exact] });
    display.handle({ kind: "failed", experiment: metropolis, message: "no luck" });
    display.clear();
    expect(written).toEqual([
      "2/4  kl, stick 0.25, seed 1: TV 0.1250 (limit 0.0625)  KL 0.5000 (limit 0.2500)  modes 3/4  1 min 1 s\n",
      "3/4  metropolis, stick 0.25, seed 1: failed: no luck\n",
    ]);
  });

  test("a sampled TV is labelled, with its floor", () => {
    const { written, display } = displayOn(false);
    display.handle({ kind: "finished", experiment: metropolis, records: [exact, sampled] });
    expect(written[0]).toContain(": sampled TV 0.7500 (floor 0.5000)  modes 3/4");
  });
});

describe("on a terminal", () => {
  test("a progress line shows the running experiments, their progress, and the time left", () => {
    const { written, display, later } = displayOn(true);
    for (const experiment of experiments) display.handle({ kind: "started", experiment });
    later(10).handle({ kind: "progress", experiment: kl, progress: 0.5 });
    later(10).handle({ kind: "progress", experiment: metropolis, progress: 0.5 });
    // One of three experiments is done in 20 s.
    expect(written.at(-1)).toBe(
      `\r\x1b[2K${"█".repeat(10)}${"░".repeat(10)} 1/4 experiments  40 s left  kl 0.25 #1 50 %  metropolis 0.25 #1 50 %`,
    );
    const lines = written.length;
    display.handle({ kind: "progress", experiment: kl, progress: 0.6 });
    expect(written).toHaveLength(lines); // too soon
  });

  test("the progress line is never wider than the terminal", () => {
    const { written, display, later } = displayOn(true, 40);
    display.handle({ kind: "started", experiment: kl });
    later(5).handle({ kind: "progress", experiment: kl, progress: 0.9 });
    for (const text of written) expect(text.replace("\r\x1b[2K", "").length).toBeLessThan(40);
  });
});
