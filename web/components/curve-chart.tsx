// A chart of long curves on a canvas: uPlot draws axes and cursor and reports zooms; lines and bands are drawn here, each
// with its own x values, so that runs of different lengths need no common grid.

import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { shortNumber } from "../../src/report/text-format.ts";
import { colourOf, themeRevision } from "../theme.ts";
import {
  type ChartLine,
  type ChartReference,
  type ChartScales,
  crossesBox,
  nearestIndex,
  scalesOf,
} from "./chart-math.ts";

export interface CurveChartProps {
  /** What a screen reader says. */
  readonly label: string;
  readonly lines: readonly ChartLine[];
  readonly references: readonly ChartReference[];
  readonly xLabel: string;
  readonly yLabel: string;
  readonly scale: "linear" | "log";
  readonly height: number;
  readonly zoom?: readonly [number, number] | null;
  readonly onZoom?: (zoom: readonly [number, number] | null) => void;
  /** A marked x, and what to do with a click on another one. */
  readonly at?: number | null;
  readonly onPick?: (x: number) => void;
  /** Told when the chart has another width, in pixels. */
  readonly onWidth?: (width: number) => void;
}

/** What the hooks of uPlot draw: they outlive a rendering. */
interface Drawn extends CurveChartProps {
  readonly scales: ChartScales;
}

interface Reading {
  readonly x: number;
  readonly isLeft: boolean;
  readonly values: readonly { readonly line: ChartLine; readonly value: number }[];
}

const FONT = "12px system-ui, sans-serif";
/** Lines with at most this many points also have a dot per point. */
const MOST_DOTS = 30;
/** Lines whose values are shown beside the cursor. */
const MOST_READINGS = 10;

export function CurveChart(props: CurveChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const drawn = useRef<Drawn>({ ...props, scales: scalesFor(props) });
  const reading = useSignal<Reading | null>(null);

  // The chart is made once; later renderings change its data.
  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(optionsOf(drawn, reading, element.clientWidth), dataOf(drawn.current), element);
    chart.current = made;
    props.onWidth?.(element.clientWidth);
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width === 0 || width === made.width) return;
      made.setSize({ width, height: drawn.current.height });
      drawn.current.onWidth?.(width);
    });
    observer.observe(element);
    // Other colours are drawn at once: a printer does not wait for the next rendering.
    const stopFollowing = effect(() => {
      if (themeRevision.value > 0) made.redraw();
    });
    return () => {
      stopFollowing();
      observer.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    drawn.current = { ...props, scales: scalesFor(props) };
    chart.current?.setData(dataOf(drawn.current));
  }, [props.lines, props.references, props.scale, props.zoom, props.at, props.xLabel, props.yLabel]);
  // Handlers may change without a new drawing.
  drawn.current = { ...drawn.current, onZoom: props.onZoom, onPick: props.onPick, onWidth: props.onWidth };

  return (
    <div class="chart" data-test="chart">
      <div ref={place} role="img" aria-label={props.label} style={{ minHeight: `${props.height}px` }} />
      {reading.value !== null && <ReadingBox reading={reading.value} xLabel={props.xLabel} />}
    </div>
  );
}

function ReadingBox({ reading, xLabel }: { readonly reading: Reading; readonly xLabel: string }) {
  const { x, isLeft, values } = reading;
  return (
    <div class="reading" style={isLeft ? { right: "12px" } : { left: "70px" }} data-test="reading">
      <div class="faint">
        {xLabel} {shortNumber(x)}
      </div>
      {values.slice(0, MOST_READINGS).map(({ line, value }) => (
        <div key={line.id}>
          <span class="swatch" style={{ color: `var(${line.colour})` }} />
          <span>{line.label}</span>
          <span class="number">{shortNumber(value)}</span>
        </div>
      ))}
      {values.length > MOST_READINGS && <div class="faint">and {values.length - MOST_READINGS} more</div>}
    </div>
  );
}

function scalesFor({ lines, references, scale, zoom = null }: CurveChartProps): ChartScales {
  return scalesOf(lines, references, { scale, zoom });
}

/** The corners of the chart: uPlot needs data to have scales. */
function dataOf({ scales: { x, y } }: Drawn): uPlot.AlignedData {
  return [
    [x.domain[0], x.domain[1]],
    [y.domain[0], y.domain[1]],
  ];
}

function optionsOf(
  drawn: { readonly current: Drawn },
  reading: { value: Reading | null },
  width: number,
): uPlot.Options {
  const axis = (side: "x" | "y"): uPlot.Axis => ({
    scale: side,
    font: FONT,
    labelFont: FONT,
    labelSize: 20,
    labelGap: 0,
    gap: 4,
    size: side === "x" ? 34 : 56,
    label: side === "x" ? drawn.current.xLabel : drawn.current.yLabel,
    stroke: () => colourOf("--figure-faint"),
    grid: { stroke: () => colourOf("--figure-grid"), width: 1 },
    ticks: { stroke: () => colourOf("--figure-frame"), width: 1, size: 4 },
    filter: (_, splits) => splits,
    splits: () => drawn.current.scales[side].ticks.map(({ value }) => value),
    values: () => drawn.current.scales[side].ticks.map(({ text }) => text),
  });
  return {
    width: Math.max(200, width),
    height: drawn.current.height,
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [...drawn.current.scales.x.domain] as [number, number] },
      y: {
        range: () => [...drawn.current.scales.y.domain] as [number, number],
        // Positions on a logarithmic axis, without uPlot's own rules about decades: 100 is a scale of our own.
        distr: 100,
        fwd: (value) => (drawn.current.scale === "log" ? Math.log10(value) : value),
        bwd: (value) => (drawn.current.scale === "log" ? 10 ** value : value),
      },
    },
    series: [{}, { scale: "y", paths: () => null, points: { show: false } }],
    axes: [axis("x"), axis("y")],
    padding: [10, 22, 0, 0],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 6 },
      bind: {
        dblclick: () => () => {
          drawn.current.onZoom?.(null);
          return null;
        },
      },
    },
    hooks: {
      ready: [
        (self) => onClick(self.over, () => drawn.current.onPick?.(self.posToVal(self.cursor.left ?? 0, "x"))),
      ],
      drawClear: [
        (self) => {
          for (const [i, text] of [drawn.current.xLabel, drawn.current.yLabel].entries())
            self.axes[i].label = text;
        },
      ],
      draw: [(self) => draw(self, drawn.current)],
      setSelect: [
        (self) => {
          const { left, width } = self.select;
          if (width < 6) return;
          const zoom = [self.posToVal(left, "x"), self.posToVal(left + width, "x")] as const;
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          drawn.current.onZoom?.(zoom);
        },
      ],
      setCursor: [
        (self) => {
          const { left = -1 } = self.cursor;
          reading.value = left < 0 ? null : readingAt(self, drawn.current, left);
        },
      ],
    },
  };
}

/** Calls a function for a click, but not for the end of a drag. */
function onClick(element: HTMLElement, call: () => void): void {
  let pressed = 0;
  element.addEventListener("mousedown", ({ clientX }) => {
    pressed = clientX;
  });
  element.addEventListener("click", ({ clientX }) => {
    if (Math.abs(clientX - pressed) < 4) call();
  });
}

function readingAt(self: uPlot, { lines }: Drawn, left: number): Reading {
  const x = self.posToVal(left, "x");
  const values = lines.flatMap((line) => {
    const i = nearestIndex(line.x, x);
    return i < 0 ? [] : [{ line, value: line.y[i] }];
  });
  return { x, isLeft: left < self.over.clientWidth / 2, values };
}

/** Draws bands, lines, references and the marked x inside the axes. */
function draw(self: uPlot, drawn: Drawn): void {
  const { lines, scales, scale, at = null } = drawn;
  const { ctx, bbox } = self;
  const pixel = devicePixelRatio;
  const xOf = (value: number) => self.valToPos(value, "x", true);
  const isPlotted = (value: number) => Number.isFinite(value) && (scale === "linear" || value > 0);
  // The lower end of a band may be 0 or less, which a logarithmic axis does not have.
  const yOf = (value: number) => self.valToPos(isPlotted(value) ? value : scales.y.domain[0], "y", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { x, low, high, colour, opacity } of lines) {
    if (low === undefined || high === undefined || x.length === 0) continue;
    ctx.beginPath();
    for (let i = 0; i < x.length; i++) ctx.lineTo(xOf(x[i]), yOf(high[i]));
    for (let i = x.length - 1; i >= 0; i--) ctx.lineTo(xOf(x[i]), yOf(low[i]));
    ctx.fillStyle = colourOf(colour);
    ctx.globalAlpha = 0.16 * opacity;
    ctx.fill();
  }
  for (const { x, y, colour, dash, width, opacity } of lines) {
    ctx.globalAlpha = opacity;
    ctx.strokeStyle = colourOf(colour);
    ctx.fillStyle = colourOf(colour);
    ctx.lineWidth = width * pixel;
    ctx.lineJoin = "round";
    ctx.setLineDash(dash.map((length) => length * pixel));
    ctx.beginPath();
    let isDown = false;
    for (let i = 0; i < x.length; i++) {
      if (!isPlotted(y[i])) isDown = false;
      else if (isDown) ctx.lineTo(xOf(x[i]), yOf(y[i]));
      else {
        ctx.moveTo(xOf(x[i]), yOf(y[i]));
        isDown = true;
      }
    }
    ctx.stroke();
    if (x.length > MOST_DOTS) continue;
    for (let i = 0; i < x.length; i++) {
      if (!isPlotted(y[i])) continue;
      ctx.beginPath();
      ctx.arc(xOf(x[i]), yOf(y[i]), (1 + width) * pixel, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
  ctx.globalAlpha = 1;
  ctx.setLineDash([]);
  if (at !== null) {
    ctx.strokeStyle = colourOf("--accent");
    ctx.lineWidth = pixel;
    ctx.beginPath();
    ctx.moveTo(xOf(at), bbox.top);
    ctx.lineTo(xOf(at), bbox.top + bbox.height);
    ctx.stroke();
  }
  drawReferences(self, drawn);
  ctx.restore();
}

/** Dashed lines with labels; a reference outside the axis is named at its edge. */
function drawReferences(self: uPlot, { lines, references, scales }: Drawn): void {
  const { ctx, bbox } = self;
  const pixel = devicePixelRatio;
  const yDomain = scales.y.domain;
  ctx.font = `${11.5 * pixel}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  const taken: number[] = [];
  for (const { label, value } of references) {
    if (!Number.isFinite(value)) continue;
    const isBelow = value < yDomain[0];
    const isAbove = value > yDomain[1];
    const line = isBelow ? bbox.top + bbox.height : isAbove ? bbox.top : self.valToPos(value, "y", true);
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
      const x = [left, left + width].map((place) => self.posToVal(place, "x", true)) as [number, number];
      const box = { x, y: [base - 11 * pixel, base + 3 * pixel] as const };
      return !lines.some((each) => crossesBox(each, box, (at) => self.valToPos(at, "y", true)));
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
