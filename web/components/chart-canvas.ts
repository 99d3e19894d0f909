// Draws the lines, bands and references of a chart on its canvas.

import type uPlot from "uplot";
import { shortNumber } from "../../src/report/text-format.ts";
import { colourOf } from "../theme.ts";
import type { ChartLine, ChartReference, ChartScales } from "./chart-math.ts";
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
  drawReferences(ctx, bbox, references, axes.y);
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

/** Dashed lines with labels at the right; a reference outside the axis is named at its edge. */
function drawReferences(
  ctx: CanvasRenderingContext2D,
  bbox: uPlot.BBox,
  references: readonly ChartReference[],
  axis: PixelAxis,
): void {
  const pixel = devicePixelRatio;
  ctx.font = `${11.5 * pixel}px system-ui, sans-serif`;
  ctx.textAlign = "right";
  ctx.textBaseline = "alphabetic";
  ctx.lineWidth = 1.2 * pixel;
  ctx.strokeStyle = colourOf("--figure-reference");
  const right = bbox.left + bbox.width - 6 * pixel;
  const taken: number[] = [];
  for (const { label, value } of references) {
    if (!Number.isFinite(value)) continue;
    const isBelow = value < axis.from;
    const isAbove = value > axis.to;
    const line = isBelow ? axis.start : isAbove ? axis.end : pixelsOf([value], axis)[0];
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
    ctx.fillStyle = colourOf("--figure-ground");
    ctx.globalAlpha = 0.85;
    const width = ctx.measureText(text).width;
    ctx.fillRect(right - width - 3 * pixel, base - 10.5 * pixel, width + 6 * pixel, 13.5 * pixel);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colourOf("--figure-reference");
    ctx.fillText(text, right, base);
    ctx.lineWidth = 1.2 * pixel;
    ctx.strokeStyle = colourOf("--figure-reference");
  }
}
