// A chart of long curves on a canvas: uPlot draws axes and cursor and reports zooms; chart-canvas.ts draws lines and bands,
// each with its own x values, so that runs of different lengths need no common grid.

import { effect, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { shortNumber } from "../../src/report/text-format.ts";
import { colourOf, themeRevision } from "../theme.ts";
import { drawChart } from "./chart-canvas.ts";
import {
  type ChartLine,
  type ChartReference,
  type ChartScales,
  fittingTicks,
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
  readonly onPick?: (x: number | null) => void;
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
/** Lines whose values are shown beside the cursor. */
const MOST_READINGS = 10;

export function CurveChart(props: CurveChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const last = useRef<Drawn | null>(null);
  last.current ??= { ...props, scales: scalesFor(props) };
  const drawn = last as { current: Drawn };
  const reading = useSignal<Reading | null>(null);

  // The chart is made once; later renderings change its data. It is drawn before the browser paints, so that controls and
  // chart change in the same frame.
  useLayoutEffect(() => {
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

  useLayoutEffect(() => {
    drawn.current = { ...props, scales: scalesFor(props) };
    chart.current?.setData(dataOf(drawn.current));
  }, [props.lines, props.references, props.scale, props.zoom, props.xLabel, props.yLabel]);
  // Handlers and the mark may change without a new drawing.
  const { onZoom, onPick, onWidth, at } = props;
  drawn.current = { ...drawn.current, onZoom, onPick, onWidth, at };
  useLayoutEffect(() => {
    if (chart.current !== null) placeMark(chart.current, at);
  }, [at]);

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
  const ticksOf = ({ bbox }: uPlot, side: "x" | "y") => {
    const { ticks } = drawn.current.scales[side];
    return side === "y" ? ticks : fittingTicks(ticks, bbox.width / devicePixelRatio);
  };
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
    splits: (self) => ticksOf(self, side).map(({ value }) => value),
    values: (self) => ticksOf(self, side).map(({ text }) => text),
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
      init: [
        (self) => {
          const mark = document.createElement("div");
          mark.className = "mark-line";
          mark.dataset.test = "mark";
          self.over.append(mark);
          onClicks(self.over, {
            before: () => drawn.current.at ?? null,
            onPick: (x) => drawn.current.onPick?.(x),
            placeOf: () => self.posToVal(self.cursor.left ?? 0, "x"),
          });
        },
      ],
      drawClear: [
        (self) => {
          for (const [i, text] of [drawn.current.xLabel, drawn.current.yLabel].entries())
            self.axes[i].label = text;
        },
      ],
      draw: [
        (self) => {
          const { lines, references, scales, at } = drawn.current;
          drawChart(self, lines, references, scales);
          placeMark(self, at);
        },
      ],
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

/** Picks the place of a click, but not that of the end of a drag. A double click is for something else, so it restores what
 * its first click has changed. */
function onClicks(
  element: HTMLElement,
  {
    before,
    onPick,
    placeOf,
  }: { readonly before: () => number | null; onPick(x: number | null): void; readonly placeOf: () => number },
): void {
  let pressed = 0;
  let unpicked: number | null = null;
  element.addEventListener("mousedown", ({ clientX }) => {
    pressed = clientX;
  });
  element.addEventListener("click", ({ clientX, detail }) => {
    if (Math.abs(clientX - pressed) >= 4) return;
    if (detail > 1) onPick(unpicked);
    else {
      unpicked = before();
      onPick(placeOf());
    }
  });
}

/** Moves the mark, which is no part of the drawing: it follows the pointer without drawing all lines again. */
function placeMark(self: uPlot, at: number | null = null): void {
  const mark = self.over.querySelector<HTMLElement>(".mark-line")!;
  const left = at === null ? -1 : self.valToPos(at, "x");
  mark.hidden = !(left >= 0 && left <= self.over.clientWidth);
  if (!mark.hidden) mark.style.translate = `${left}px`;
}

function readingAt(self: uPlot, { lines }: Drawn, left: number): Reading {
  const x = self.posToVal(left, "x");
  const values = lines.flatMap((line) => {
    const i = nearestIndex(line.x, x);
    return i < 0 ? [] : [{ line, value: line.y[i] }];
  });
  return { x, isLeft: left < self.over.clientWidth / 2, values };
}
