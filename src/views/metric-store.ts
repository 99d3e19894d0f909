// The points of the metrics of entries, read from their files by byte offset: a file is never read twice unless it was
// rewritten, and never whole. The store forgets the entries that were asked for least recently when it has too much.

import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { openIfExists } from "../disk/open-file.ts";
import { type LineFormat, readLine, type ValueSink } from "./event-values.ts";
import { type Position, readPiece, START } from "./file-position.ts";
import type { Metric } from "./metric-list.ts";
import { PointSeries } from "./point-series.ts";
import { CurveCache } from "./x-axis.ts";

/** A file of metrics, and what its lines are. */
export interface MetricsSource {
  readonly file: string;
  readonly format: LineFormat;
}

/** The points of one file up to a position. */
export interface MetricsData {
  readonly position: Position;
  /** By name of the metric, over iterations. */
  readonly series: ReadonlyMap<string, PointSeries>;
  /** Calls and seconds over iterations, where events have them. */
  readonly calls: PointSeries;
  readonly seconds: PointSeries;
  /** Curves that were computed from the points. */
  readonly curves: CurveCache;
  readonly limits: ReadonlyMap<string, number>;
  readonly uniforms: ReadonlyMap<string, number>;
}

/** Memory for points of all entries together, in bytes. The entry of a request is kept even if it needs more. */
const LARGEST_BYTES = 2 ** 28;

/** Bytes that are parsed at a time: between them, the thread does other work. */
const READ_BYTES = 2 ** 16;

export interface MetricStoreOptions {
  readonly largestBytes?: number;
  /** Points up to which a series is exact. */
  readonly exactPoints?: number;
}

export class MetricStore {
  /** In the order of use, the latest last. */
  readonly #files = new Map<string, MetricsFile>();
  readonly #largestBytes: number;
  readonly #exactPoints: number | undefined;

  constructor({ largestBytes = LARGEST_BYTES, exactPoints }: MetricStoreOptions = {}) {
    this.#largestBytes = largestBytes;
    this.#exactPoints = exactPoints;
  }

  /** All points that the file has now. */
  async read({ file, format }: MetricsSource): Promise<MetricsData> {
    const known = this.#files.get(file) ?? new MetricsFile(file, format, this.#exactPoints);
    this.#files.delete(file);
    this.#files.set(file, known);
    const data = await known.refresh();
    this.#forget(known);
    return data;
  }

  get bytes(): number {
    return [...this.#files.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #forget(kept: MetricsFile): void {
    let { bytes } = this;
    for (const [path, file] of this.#files) {
      if (bytes <= this.#largestBytes) return;
      if (file === kept) continue;
      bytes -= file.bytes;
      this.#files.delete(path);
    }
  }
}

class MetricsFile {
  /** Memory of the points and of what was computed from them, when they were last asked for. */
  bytes = 0;
  readonly #path: string;
  readonly #format: LineFormat;
  readonly #exactPoints: number | undefined;
  #data: GrowingData;
  #reading: Promise<MetricsData> | null = null;
  /** Stamp of the file when it was opened for the last complete reading. */
  #stamp: string | null = null;

  constructor(path: string, format: LineFormat, exactPoints: number | undefined) {
    this.#path = path;
    this.#format = format;
    this.#exactPoints = exactPoints;
    this.#data = new GrowingData(exactPoints);
  }

  /** Requests at the same time share one reading. */
  refresh(): Promise<MetricsData> {
    this.#reading ??= this.#readToEnd().finally(() => {
      this.#reading = null;
      const { series, calls, seconds, curves } = this.#data;
      this.bytes = [...series.values(), calls, seconds, curves].reduce((sum, { bytes }) => sum + bytes, 0);
    });
    return this.#reading;
  }

  async #readToEnd(): Promise<MetricsData> {
    // A file that has not changed is not opened: a page that zooms asks for many files again.
    const known = this.#stamp;
    if (known !== null && known === (await lstat(this.#path).then(stampOf, () => null))) return this.#data;
    this.#stamp = null;
    const file = await openIfExists(this.#path);
    if (!file) {
      this.#data = new GrowingData(this.#exactPoints);
      return this.#data;
    }
    try {
      const stamp = stampOf(await file.stat());
      for (;;) {
        const piece = await readPiece(file, this.#data.position, READ_BYTES);
        if (!piece) {
          this.#data = new GrowingData(this.#exactPoints);
          continue;
        }
        for (const line of piece.lines) readLine(line, this.#format, this.#data);
        this.#data.position = piece.position;
        if (piece.hasMore) continue;
        this.#stamp = stamp;
        return this.#data;
      }
    } finally {
      await file.close();
    }
  }
}

/** A text that changes when the file does. */
function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join();
}

/** Points that grow with the lines that are read. */
class GrowingData implements MetricsData, ValueSink {
  position = START;
  readonly series = new Map<string, PointSeries>();
  readonly calls: PointSeries;
  readonly seconds: PointSeries;
  readonly curves = new CurveCache();
  readonly limits = new Map<string, number>();
  readonly uniforms = new Map<string, number>();
  readonly #exactPoints: number | undefined;
  /** Where the line that is being read stands. */
  #iteration = 0;

  constructor(exactPoints: number | undefined) {
    this.#exactPoints = exactPoints;
    this.calls = new PointSeries(exactPoints);
    this.seconds = new PointSeries(exactPoints);
  }

  at(iteration: number, calls: number, seconds: number): void {
    this.#iteration = iteration;
    if (!Number.isNaN(calls)) this.calls.append(iteration, calls);
    if (!Number.isNaN(seconds)) this.seconds.append(iteration, seconds);
  }

  value({ name }: Metric, value: number): void {
    let series = this.series.get(name);
    if (!series) {
      series = new PointSeries(this.#exactPoints);
      this.series.set(name, series);
    }
    series.append(this.#iteration, value);
  }

  limit({ name }: Metric, value: number): void {
    this.limits.set(name, value);
  }

  uniform({ name }: Metric, value: number): void {
    this.uniforms.set(name, value);
  }
}
