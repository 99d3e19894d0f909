// Tests that the labels of reference lines are inside the frame, away from the curves and from each other.

import { expect, test } from "vitest";
import { placeLabels } from "./reference-labels.ts";
import { textWidth } from "./theme.ts";

const frame = { width: 400, height: 200, above: 300 };
/** A curve that falls to y = 150 and stays there. */
const falling = Array.from({ length: 41 }, (_, i) => ({ x: 10 * i, y: Math.min(150, 10 + 10 * i) }));

test("a label is at the right end of its line if no curve is near", () => {
  const [label] = placeLabels([{ text: "limit 0.1", y: 100 }], [], frame);
  expect(label.x).toBeGreaterThan(300);
  expect(label.y).toBe(92);
});

test.each([10, 60, 100, 145, 150, 155])("no curve runs through the label of a line at %i", (y) => {
  const [label] = placeLabels([{ text: "limit 0.1", y }], [falling], frame);
  const width = textWidth("limit 0.1", 11);
  const crossing = falling.filter(
    (point) => point.x >= label.x && point.x <= label.x + width && Math.abs(point.y - label.y) < 6,
  );
  expect(crossing).toEqual([]);
  expect(Math.abs(label.y - y)).toBe(8);
});

test("labels of close lines do not overlap", () => {
  const labels = placeLabels(
    [
      { text: "limit 0.1", y: 100 },
      { text: "uniform 0.1", y: 104 },
    ],
    [],
    frame,
  );
  const [a, b] = labels;
  expect(Math.abs(a.y - b.y) >= 16 || Math.abs(a.x - b.x) >= 60).toBe(true);
});

test("a label that does not fit inside the frame is above it, after a sample of its line, if there is room", () => {
  const zigzag = Array.from({ length: 401 }, (_, x) => ({ x, y: x % 2 === 0 ? 60 : 140 }));
  const [above] = placeLabels([{ text: "floor 0.7", y: 100 }], [zigzag], frame);
  expect(above).toMatchObject({ text: "– – floor 0.7", y: -8 });
  const [inside] = placeLabels([{ text: "floor 0.7", y: 100 }], [zigzag], { ...frame, above: 20 });
  expect(inside.text).toBe("floor 0.7");
  expect([92, 108]).toContain(inside.y);
});
