// What is shown while cells run, on a terminal and elsewhere.

import { describe, expect, test } from "vitest";
import type { CellRecord } from "../compare/record.ts";
import { CompareDisplay } from "./compare-display.ts";

const cells = ["kl", "metropolis"].map((method) => ({ method, stick: 0.25, seed: 1 }));
const [kl, metropolis] = cells;
const exact = {
  ...{ tv: 0.125, kl: 0.5, limitTv: 0.0625, limitKl: 0.25, sampledTv: null, sampledFloor: null },
  ...{ modesFound: 3, modes: 4, seconds: 61 },
} as CellRecord;
const sampled = { ...exact, tv: null, kl: null, sampledTv: 0.75, sampledFloor: 0.5 } as CellRecord;

function shown(isTTY: boolean, columns = 120) {
  const written: string[] = [];
  let now = 0;
  const screen = { isTTY, columns, write: (text: string) => written.push(text) };
  const display = new CompareDisplay(screen, { total: 4, kept: 1 }, () => now);
  const later = (seconds: number) => {
    now += 1000 * seconds;
    return display;
  };
  return { written, display, later };
}

describe("elsewhere than on a terminal", () => {
  test("there is one line for each cell that ended, and nothing else", () => {
    const { written, display } = shown(false);
    for (const cell of cells) display.handle({ kind: "begun", cell });
    display.handle({ kind: "progress", cell: kl, share: 0.5 });
    display.handle({ kind: "finished", cell: kl, records: [exact] });
    display.handle({ kind: "failed", cell: metropolis, message: "no luck" });
    display.clear();
    expect(written).toEqual([
      "2/4  kl, stick 0.25, seed 1: TV 0.1250 (limit 0.0625)  KL 0.5000 (limit 0.2500)  modes 3/4  1 min 1 s\n",
      "3/4  metropolis, stick 0.25, seed 1: failed: no luck\n",
    ]);
  });

  test("what was sampled is said to be, with its floor", () => {
    const { written, display } = shown(false);
    display.handle({ kind: "finished", cell: metropolis, records: [exact, sampled] });
    expect(written[0]).toContain(": sampled TV 0.7500 (floor 0.5000)  modes 3/4");
  });
});

describe("on a terminal", () => {
  test("a line moves with the cells that run, how far they are, and the time that is left", () => {
    const { written, display, later } = shown(true);
    for (const cell of cells) display.handle({ kind: "begun", cell });
    later(10).handle({ kind: "progress", cell: kl, share: 0.5 });
    later(10).handle({ kind: "progress", cell: metropolis, share: 0.5 });
    // One cell of three is made in 20 s.
    expect(written.at(-1)).toBe(
      `\r\x1b[2K${"█".repeat(10)}${"░".repeat(10)} 1/4 cells  40 s left  kl 0.25 #1 50 %  metropolis 0.25 #1 50 %`,
    );
    const lines = written.length;
    display.handle({ kind: "progress", cell: kl, share: 0.6 });
    expect(written).toHaveLength(lines); // too soon
  });

  test("it is never longer than the terminal is wide", () => {
    const { written, display, later } = shown(true, 40);
    display.handle({ kind: "begun", cell: kl });
    later(5).handle({ kind: "progress", cell: kl, share: 0.9 });
    for (const text of written) expect(text.replace("\r\x1b[2K", "").length).toBeLessThan(40);
  });
});
