// Draws the lines, bands and references of a chart on its canvas.

import type uPlot from "uplot";
import { shortNumber } from "../../src/report/text-format.ts";
import { colourOf } from "../theme.ts";
import { type ChartLine, type ChartReference, type ChartScales, crossesBox } from "./chart-math.ts";
import { bandColumns, isDash, type PixelAxis, pixelsOf, travelOf } from "./chart-paths.ts";

/** Lines with at most this many points also have a dot per point. */
const MOST_DOTS = 30;
/** A line that goes up and down more often than this through the height of the chart is drawn as thin lines. */
const MOST_TRAVEL = 6;
const BAND_OPACITY = 0.16;

interface Axes {
  readonly x: PixelAxis;
  readonly y: PixelAxis;
}

/** Draws bands, lines and references inside the axes. */
export function drawChart(
  { ctx, bbox }: uPlot,
  lines: readonly ChartLine[],
  references: readonly ChartReference[],
  scales: ChartScales,
): void {
  const { left, top, width, height } = bbox;
  const axes = {
    x: axisOf(scales.x, left, left + width),
    y: axisOf(scales.y, top + height, top),
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  for (const line of lines) drawBand(ctx, line, axes);
  for (const line of lines) drawLine(ctx, line, axes);
  ctx.globalAlpha = 1;
  drawReferences(ctx, bbox, { lines, references, axes });
  ctx.restore();
}

function axisOf({ domain: [from, to], type }: ChartScales["x"], start: number, end: number): PixelAxis {
  return { from, to, start, end, isLog: type === "log" };
}

function drawBand(ctx: CanvasRenderingContext2D, line: ChartLine, axes: Axes): void {
  const { low, high, colour, opacity } = line;
  if (low === undefined || high === undefined || line.x.length === 0) return;
  const { start, end } = axes.y;
  const x = pixelsOf(line.x, axes.x);
  // The lower end of a band may be 0 or less, which a logarithmic axis does not have.
  const [top, bottom] = [high, low].map((values) => {
    const y = pixelsOf(values, axes.y);
    for (let i = 0; i < y.length; i++) if (Number.isNaN(y[i])) y[i] = start;
    return y;
  });
  ctx.fillStyle = colourOf(colour);
  ctx.strokeStyle = ctx.fillStyle;
  ctx.globalAlpha = BAND_OPACITY * opacity;
  ctx.beginPath();
  if (travelOf(top) + travelOf(bottom) > MOST_TRAVEL * Math.abs(end - start)) {
    const columns = bandColumns({ x, top, bottom }, axes.x.start, axes.x.end);
    for (let i = 0; i < columns.top.length; i++) {
      ctx.moveTo(columns.first + i + 0.5, columns.top[i]);
      ctx.lineTo(columns.first + i + 0.5, columns.bottom[i]);
    }
    thin(ctx);
    ctx.stroke();
    return;
  }
  for (let i = 0; i < x.length; i++) ctx.lineTo(x[i], top[i]);
  for (let i = x.length - 1; i >= 0; i--) ctx.lineTo(x[i], bottom[i]);
  ctx.fill();
}

function drawLine(ctx: CanvasRenderingContext2D, line: ChartLine, axes: Axes): void {
  const { colour, dash, width, opacity } = line;
  const pixel = devicePixelRatio;
  const [x, y] = [pixelsOf(line.x, axes.x), pixelsOf(line.y, axes.y)];
  ctx.globalAlpha = opacity;
  ctx.strokeStyle = colourOf(colour);
  ctx.fillStyle = ctx.strokeStyle;
  if (travelOf(y) > MOST_TRAVEL * Math.abs(axes.y.end - axes.y.start)) {
    // Dashes are measured along x: along the line, they would be too many to see. A wide line is drawn several times.
    const scaled = dash.map((length) => length * pixel);
    const copies = Math.floor(width);
    thin(ctx);
    for (let copy = 0; copy < copies; copy++) {
      strokePath(ctx, x, y, { shift: copy - (copies - 1) / 2, dash: scaled });
    }
    return;
  }
  ctx.lineWidth = width * pixel;
  ctx.lineJoin = "round";
  ctx.setLineDash(dash.map((length) => length * pixel));
  strokePath(ctx, x, y, { shift: 0, dash: [] });
  ctx.setLineDash([]);
  if (x.length > MOST_DOTS) return;
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(y[i])) continue;
    ctx.beginPath();
    ctx.arc(x[i], y[i], (1 + width) * pixel, 0, 2 * Math.PI);
    ctx.fill();
  }
}

/** Lines of one pixel: browsers draw them much faster than wider ones. */
function thin(ctx: CanvasRenderingContext2D): void {
  ctx.lineWidth = 1;
  ctx.lineJoin = "bevel";
  ctx.setLineDash([]);
}

/** A line with gaps where y is NaN, and where the dash pattern has one along x. */
function strokePath(
  ctx: CanvasRenderingContext2D,
  x: Float64Array,
  y: Float64Array,
  { shift, dash }: { readonly shift: number; readonly dash: readonly number[] },
): void {
  ctx.beginPath();
  let isDown = false;
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(y[i]) || !isDash(dash, x[i] - x[0])) isDown = false;
    else if (isDown) ctx.lineTo(x[i] + shift, y[i]);
    else {
      ctx.moveTo(x[i] + shift, y[i]);
      isDown = true;
    }
  }
  ctx.stroke();
}

interface References {
  readonly lines: readonly ChartLine[];
  readonly references: readonly ChartReference[];
  readonly axes: Axes;
}

/** Dashed lines with labels; a reference outside the axis is named at its edge. */
function drawReferences(
  ctx: CanvasRenderingContext2D,
  bbox: uPlot.BBox,
  { lines, references, axes }: References,
): void {
  const pixel = devicePixelRatio;
  const heightOf = (value: number) => pixelsOf([value], axes.y)[0];
  ctx.font = `${11.5 * pixel}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  const taken: number[] = [];
  // From the top, so that labels that make room for each other stay in the order of their lines.
  const ordered = references.filter(({ value }) => Number.isFinite(value)).sort((a, b) => b.value - a.value);
  for (const { label, value } of ordered) {
    const isBelow = value < axes.y.from;
    const isAbove = value > axes.y.to;
    const line = isBelow ? axes.y.start : isAbove ? axes.y.end : heightOf(value);
    ctx.lineWidth = 1.2 * pixel;
    ctx.strokeStyle = colourOf("--figure-reference");
    if (!isBelow && !isAbove) {
      ctx.setLineDash([5 * pixel, 4 * pixel]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, line);
      ctx.lineTo(bbox.left + bbox.width, line);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    // Labels stand above their line, or below it near the top and where another label is.
    let base = line - 4 * pixel;
    if (base < bbox.top + 12 * pixel) base = line + 13 * pixel;
    const step = (isBelow ? -13 : 13) * pixel;
    while (taken.some((other) => Math.abs(other - base) < 13 * pixel)) base += step;
    taken.push(base);
    const text = `${label} ${shortNumber(value)}${isBelow ? " ↓" : isAbove ? " ↑" : ""}`;
    const width = ctx.measureText(text).width;
    const isFree = (left: number) => {
      const box = {
        x: [valueAt(left, axes.x), valueAt(left + width, axes.x)] as const,
        y: [base - 11 * pixel, base + 3 * pixel] as const,
      };
      return !lines.some((each) => crossesBox(each, box, heightOf));
    };
    // At the right, or where no line is behind it.
    const room = bbox.width - width - 12 * pixel;
    const places = [1, 0, 0.75, 0.5, 0.25].map((share) => bbox.left + 6 * pixel + share * room);
    const left = places.find(isFree) ?? places[0];
    ctx.lineWidth = 3 * pixel;
    ctx.strokeStyle = colourOf("--figure-ground");
    ctx.strokeText(text, left, base);
    ctx.fillStyle = colourOf("--figure-reference");
    ctx.fillText(text, left, base);
  }
}

/** The value at a pixel of an axis that is not logarithmic. */
function valueAt(place: number, { from, to, start, end }: PixelAxis): number {
  return from + ((place - start) / (end - start)) * (to - from);
}
