// Scales for time: dates in UTC with ticks at whole hours, days, months or years, and step numbers with integer ticks.

import { type Scale, scaleOf, type Tick } from "./axis.ts";
import { FONT_SIZE, textWidth } from "./theme.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** 5 January 1970, the first Monday after the epoch. */
const MONDAY = 4 * DAY;
/** Approximate lengths of a month and a year. */
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;
/** The largest time that `Date` can represent. */
const MAX_TIME = 8.64e15;
/** Least distance between two tick labels, in pixels. */
const LABEL_GAP = 6;
/** How far tick labels may extend beyond the left and the right of the frame, in pixels. */
const OVERHANG = [24, 12] as const;

/** Width per tick of a step axis, in pixels. */
const STEP_TICK_WIDTH = 60;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A candidate tick spacing: its size in milliseconds, its ticks and their labels. */
interface TickSpacing {
  readonly size: number;
  ticks(from: number, to: number): number[];
  text(time: number): string;
}

/** Whether a time is within the range of `Date`. */
export function isTime(value: number): boolean {
  return Math.abs(value) <= MAX_TIME;
}

/** The scale for times in milliseconds since 1970, with as many ticks as fit in `width` pixels. */
export function timeScale([from, to]: readonly [number, number], width: number): Scale {
  const domain: readonly [number, number] = from < to ? [from, to] : [from - DAY, to + DAY];
  const length = domain[1] - domain[0];
  const across = (time: number) => (width * (time - domain[0])) / length;
  const wide = (tick: Tick) => textWidth(tick.text, FONT_SIZE.note);
  const fits = (ticks: readonly Tick[]) =>
    ticks.every((tick, i) => {
      const next = ticks[i + 1];
      return !next || across(next.value) - across(tick.value) >= (wide(tick) + wide(next)) / 2 + LABEL_GAP;
    });
  const found = STEPS.filter(({ size }) => (width * size) / length >= LABEL_GAP)
    .map((step) => step.ticks(...domain).map((value) => ({ value, text: step.text(value) })))
    .find(fits);
  const inside = (tick: Tick) =>
    across(tick.value) - wide(tick) / 2 >= -OVERHANG[0] &&
    across(tick.value) + wide(tick) / 2 <= width + OVERHANG[1];
  const clock = length < 10 * MINUTE ? "seconds" : length < 3 * DAY ? "minutes" : "none";
  return {
    ...{ type: "linear", domain },
    ticks: (found ?? []).map((tick) => (inside(tick) ? tick : { ...tick, text: "" })),
    title: `${dateText(domain[0], clock)} to ${dateText(domain[1], clock)} (UTC)`,
  };
}

/** The scale for step numbers. */
export function stepScale(ends: readonly [number, number], width: number): Scale {
  const count = Math.max(2, Math.min(10, Math.floor(width / STEP_TICK_WIDTH)));
  return scaleOf({ label: "step", integerTicks: true }, "linear", ends, { room: 0, count });
}

/** A date as text, such as "2014-03-05", with the time of day if `clock` is "minutes" or "seconds". */
export function dateText(time: number, clock: "none" | "minutes" | "seconds" = "none"): string {
  if (!isTime(time)) return "–";
  const [date, rest] = new Date(time).toISOString().split("T");
  return clock === "none" ? date : `${date} ${rest.slice(0, clock === "seconds" ? 8 : 5)}`;
}

const STEPS: readonly TickSpacing[] = [
  ...[1, 5, 15, 30].map((count) => evenly(count * SECOND, 0, (time) => clockText(time, 8))),
  ...[1, 5, 15, 30].map((count) => evenly(count * MINUTE, 0, (time) => clockText(time, 5))),
  ...[1, 3, 6, 12].map((count) => evenly(count * HOUR, 0, (time) => clockText(time, 5))),
  ...[1, 2].map((count) => evenly(count * DAY, 0, dayText)),
  ...[7, 14].map((count) => evenly(count * DAY, MONDAY, dayText)),
  ...[1, 3, 6].map((count) => calendar(count, count * MONTH, monthText)),
  ...[1, 2, 5, 10, 20, 50, 100, 500, 1000, 5000, 20_000, 100_000].map((count) =>
    calendar(12 * count, count * YEAR, yearText),
  ),
];

function evenly(size: number, origin: number, text: (time: number) => string): TickSpacing {
  return {
    ...{ size, text },
    ticks(from, to) {
      const first = Math.ceil((from - origin) / size);
      const last = Math.floor((to - origin) / size);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => origin + (first + i) * size);
    },
  };
}

/** Ticks every `months` months, counted from the year 0. */
function calendar(months: number, size: number, text: (time: number) => string): TickSpacing {
  return {
    ...{ size, text },
    ticks(from, to) {
      const [first, last] = [from, to].map((time) => Math.floor(monthOf(time) / months));
      const all = Array.from({ length: last - first + 1 }, (_, i) => startOfMonth((first + i) * months));
      return all.filter((time) => time >= from && time <= to);
    },
  };
}

/** Month number, counted from the year 0. */
function monthOf(time: number): number {
  const date = new Date(time);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
}

/** NaN outside the range of `Date`. `Date.UTC` would read the year 99 as 1999. */
function startOfMonth(month: number): number {
  const year = Math.floor(month / 12);
  return new Date(0).setUTCFullYear(year, month - 12 * year, 1);
}

/** The time of day as text, such as "14:30"; at midnight, the date. */
function clockText(time: number, length: number): string {
  return time % DAY === 0 ? dayText(time) : new Date(time).toISOString().split("T")[1].slice(0, length);
}

function dayText(time: number): string {
  const date = new Date(time);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
}

/** The month as text, such as "Feb"; for January, the year. */
function monthText(time: number): string {
  const month = new Date(time).getUTCMonth();
  return month === 0 ? yearText(time) : MONTHS[month];
}

function yearText(time: number): string {
  return String(new Date(time).getUTCFullYear());
}
