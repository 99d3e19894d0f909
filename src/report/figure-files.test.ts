import { expect, test } from "vitest";
import { drawSvg, type Surface } from "./draw-svg.ts";
import { figureWriter, MissingPackage } from "./figure-files.ts";
import { lineChart } from "./line-chart.ts";

const FIGURE = lineChart({
  title: "KL(target ‖ policy) ≤ β",
  x: { label: "iterations" },
  y: { label: "P̂", unit: "nats" },
  panels: [
    {
      curves: [{ name: "π", points: Array.from({ length: 20 }, (_, x) => ({ x, y: Math.sin(x) })) }],
      references: [{ name: "limit", y: 0.5 }],
    },
  ],
});

test("a PNG has twice the size of the figure", async () => {
  const bytes = Buffer.from(await (await figureWriter("png"))(FIGURE));
  expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  const height = Math.ceil(2 * Number(/height="([\d.]+)"/.exec(FIGURE)![1]));
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1440, height]);
  expect(bytes.length).toBeGreaterThan(10_000);
});

test("a PDF has one page with an embedded font, and is the same every time", async () => {
  const write = await figureWriter("pdf");
  const bytes = Buffer.from(await write(FIGURE));
  const text = bytes.toString("latin1");
  expect(text.slice(0, 5)).toBe("%PDF-");
  expect(text.match(/\/Type \/Page\b/g)).toHaveLength(1);
  expect(text).toContain("DejaVuSans");
  expect(bytes.length).toBeGreaterThan(5000);
  expect(bytes.equals(Buffer.from(await write(FIGURE)))).toBe(true);
});

test.each(["png", "pdf"] as const)("a package that is missing for %s is named", async (format) => {
  const nothing = () => Promise.reject(new Error("Cannot find package"));
  const writer = figureWriter(format, nothing);
  await expect(writer).rejects.toThrow(MissingPackage);
  await expect(writer).rejects.toThrow(
    /^(PNG|PDF) files need the package (@napi-rs\/canvas|pdfkit), which cannot be loaded; install it with npm install/,
  );
});

/** Writes down what is drawn. */
function recorder(): Surface & { readonly calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    transformed(matrix, draw) {
      calls.push(["transform", ...matrix]);
      draw();
    },
    fill: (path, { colour, opacity }) => calls.push(["fill", path, colour, opacity]),
    stroke: (path, { colour }, { width, dash }) => calls.push(["stroke", path, colour, width, ...dash]),
    text: (text, x, _y, { size, bold }, { colour }, outline) =>
      calls.push(["text", text, x, size, bold, colour, outline ?? null]),
    textWidth: (text) => 10 * text.length,
  };
}

test("shapes inherit paint, nested figures are moved, and outlines of texts are drawn first", () => {
  const surface = recorder();
  drawSvg(
    `<svg width="9" height="9"><rect width="9" height="8" fill="#ffffff"/>
     <svg x="2" y="3" fill="#112233"><g stroke="currentColor" color="#445566" stroke-dasharray="4 2" fill-opacity="0.5">
     <line x1="1" y1="2" x2="3" y2="4"/></g></svg>
     <g text-anchor="end" font-weight="600" font-size="10"><text y="0.32em" stroke="#ffffff" stroke-width="3" fill="#000000">ab</text></g></svg>`,
    surface,
  );
  expect(surface.calls).toEqual([
    ["fill", "M0,0h9v8h-9Z", "#ffffff", 1],
    ["transform", 1, 0, 0, 1, 2, 3],
    ["fill", "M1,2L3,4", "#112233", 0.5],
    ["stroke", "M1,2L3,4", "#445566", 1, 4, 2],
    ["transform", 1, 0, 0, 1, 0, 3.2],
    ["text", "ab", -20, 10, true, "#ffffff", 3],
    ["text", "ab", -20, 10, true, "#000000", null],
  ]);
});

test("transforms are multiplied, and a text is stretched to its length", () => {
  const surface = recorder();
  drawSvg(
    `<svg width="1" height="1"><text transform="translate(5,6) scale(2,3)" textLength="5" font-size="8" fill="#000000">A</text></svg>`,
    surface,
  );
  expect(surface.calls.slice(0, 2)).toEqual([
    ["transform", 2, 0, 0, 3, 5, 6],
    ["transform", 0.5, 0, 0, 1, 0, 0],
  ]);
});

test("what figures do not have is an error", () => {
  const draw = (inner: string) => () => drawSvg(`<svg width="1" height="1">${inner}</svg>`, recorder());
  expect(draw("<image/>")).toThrow("there is no element image");
  expect(draw('<rect fill="url(#a)"/>')).toThrow("fill must be #rrggbb, got url(#a)");
  expect(draw('<rect transform="skewX(3)"/>')).toThrow("there is no transform skewX(3)");
});
