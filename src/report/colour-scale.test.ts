// Tests of the colours of numbers: their order in print, and text that is readable on them.

import { describe, expect, test } from "vitest";
import { colourBarAt, colourOf } from "./colour-bar.ts";
import { colourAt, contrast, lightness, textColourOn } from "./colour-scale.ts";
import { INK } from "./theme.ts";

const positions = Array.from({ length: 64 }, (_, i) => i / 63);
const ramps = {
  sequential: positions.map((position) => colourAt("sequential", position)),
  negative: positions.map((position) => colourAt("difference", -position)),
  positive: positions.map((position) => colourAt("difference", position)),
};

describe.each(Object.entries(ramps))("the colours of %s numbers", (_, colours) => {
  test("get darker with the size of a number, by about equal steps", () => {
    const steps = colours.slice(1).map((colour, i) => lightness(colours[i]) - lightness(colour));
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(Math.max(...steps)).toBeLessThan(0.03);
    expect(lightness(colours[0]) - lightness(colours[63])).toBeGreaterThan(0.5);
  });

  test("carry readable text", () => {
    for (const colour of colours) expect(contrast(textColourOn(colour), colour)).toBeGreaterThan(4.2);
  });

  test("are not colours of the theme, which a dark page replaces", () => {
    for (const colour of [...colours, ...colours.map(textColourOn)]) {
      expect(Object.values(INK)).not.toContain(colour);
    }
  });
});

test("a contrast of black and white is 21", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 6);
  expect([lightness("#000000"), lightness("#ffffff")]).toEqual([expect.closeTo(0, 6), expect.closeTo(1, 6)]);
});

test("numbers outside of a scale have its last colour, and a difference of 0 the middle one", () => {
  const scale = { palette: "difference", label: "x", most: 2 } as const;
  expect(colourOf(scale, 5)).toBe(colourOf(scale, 2));
  expect(colourOf(scale, Number.NEGATIVE_INFINITY)).toBe(colourOf(scale, -2));
  expect(colourOf(scale, 0)).toBe(ramps.positive[0]);
  expect(colourOf({ ...scale, palette: "sequential" }, -1)).toBe(ramps.sequential[0]);
});

test("a square root makes small numbers visible, and the bar shows where they are", () => {
  const scale = { palette: "sequential", label: "probability", most: 1, root: true } as const;
  expect(colourOf(scale, 0.25)).toBe(colourAt("sequential", 0.5));
  const bar = colourBarAt(scale, 0, 0, 400);
  const at = (text: string) => Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${text}<`).exec(bar)?.[1]);
  const [zero, one] = [at("0"), at("1.0")];
  expect((at("0.4") - zero) / (one - zero)).toBeCloseTo(Math.sqrt(0.4), 3);
});
