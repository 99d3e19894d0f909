// Axis scales: domain, title, ticks and tick labels for given values, linear or logarithmic.

export interface Axis {
  readonly label: string;
  readonly unit?: string;
  /** Default: "linear". "auto" is logarithmic if all values are positive and the largest is at least 20 times the smallest. */
  readonly scale?: "linear" | "log" | "auto";
  /** Values that the domain must include, e.g. 0 for counts; a logarithmic axis ignores those that are not positive. */
  readonly include?: readonly number[];
  /** Whether a linear axis has ticks at integers only. Default: false. */
  readonly integerTicks?: boolean;
}

/** An axis with its domain and ticks. */
export interface Scale {
  readonly type: "linear" | "log";
  readonly domain: readonly [number, number];
  readonly ticks: readonly Tick[];
  /** Label with its unit, such as "KL (nats)". */
  readonly title: string;
}

export interface Tick {
  readonly value: number;
  readonly text: string;
}

/**
 * Numbers of this size or larger are treated as infinite, so that ratios and differences of two plotted numbers stay
 * finite.
 */
const LARGEST = 1e100;
/** Least ratio of the largest to the smallest value that makes an "auto" axis logarithmic. */
const AUTO_LOG_RATIO = 20;

/** The scale type of an axis for these values; values that are not finite are ignored. */
export function scaleType({ scale = "linear" }: Axis, values: readonly number[]): "linear" | "log" {
  if (scale !== "auto") return scale;
  const [least, most] = extent(values.filter(Number.isFinite));
  return least > 0 && most / least >= AUTO_LOG_RATIO ? "log" : "linear";
}

/** Whether a value can be plotted: finite, and positive on a logarithmic axis. */
export function isPlottable(value: number, type: "linear" | "log"): boolean {
  return Math.abs(value) < LARGEST && (type === "linear" || value > 1 / LARGEST);
}

/** The scale for plottable values. `room` is the padding at both ends as a fraction of the data range, `count` the approximate number of ticks. */
export function scaleOf(
  axis: Axis,
  type: "linear" | "log",
  values: readonly number[],
  { room, count }: { readonly room: number; readonly count: number },
): Scale {
  const all = [...values, ...(axis.include ?? [])].filter((value) => isPlottable(value, type));
  const domain = type === "log" ? logDomain(all, room) : linearDomain(all, axis.include ?? [], room);
  const ticks =
    type === "log" ? logTicks(domain, count) : linearTicks(domain, count, axis.integerTicks ? 1 : 0);
  return { type, domain, ticks, title: axis.unit ? `${axis.label} (${axis.unit})` : axis.label };
}

/** Position of a value between the ends of the domain, from 0 to 1. */
export function fraction({ type, domain: [from, to] }: Scale, value: number): number {
  const position = type === "log" ? Math.log : (x: number) => x;
  return (position(value) - position(from)) / (position(to) - position(from));
}

/** Minimum and maximum of any number of values; NaN if there are none. */
export function extent(values: Iterable<number>): [number, number] {
  let [least, most] = [Number.NaN, Number.NaN];
  for (const value of values) {
    if (!(value >= least)) least = value;
    if (!(value <= most)) most = value;
  }
  return [least, most];
}

function linearDomain(
  values: readonly number[],
  fixed: readonly number[],
  padding: number,
): [number, number] {
  const [least, most] = extent(values);
  // If all values are equal up to rounding errors, centre the domain on them.
  const size = Math.max(Math.abs(least), Math.abs(most));
  if (most - least <= Math.max(1e-9 * size, 1 / LARGEST)) {
    const room = size < 1 / LARGEST ? 1 : size / 2;
    return [fixed.includes(least) ? least : least - room, most + room];
  }
  const room = padding * (most - least);
  return [fixed.includes(least) ? least : least - room, fixed.includes(most) ? most : most + room];
}

function logDomain(values: readonly number[], padding: number): [number, number] {
  const [least, most] = extent(values);
  if (most / least <= 1 + 1e-9) return [least / 2, most * 2];
  const room = (most / least) ** padding;
  return [least / room, most * room];
}

/** Ticks at multiples of 1, 2 or 5 times a power of ten, at least `minStep` apart. */
function linearTicks([from, to]: readonly [number, number], count: number, minStep = 0): Tick[] {
  const power = Math.floor(Math.log10((to - from) / count));
  const best = ["1", "2", "5", "10"]
    .map((factor) => Number(`${factor}e${power}`)) // avoids 10 ** -5, which has a rounding error in its last digit
    .reduce((a, b) => (countError(b) < countError(a) ? b : a));
  const step = Math.max(best, minStep);
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) ticks.push(i * step);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  return ticks.map((value) => ({ value, text: linearText(value, step, largest) }));

  function countError(candidate: number): number {
    return Math.abs((to - from) / candidate - count);
  }
}

function linearText(value: number, step: number, largest: number): string {
  if (Math.abs(value) < step / 2) return "0";
  if (largest < 1e-3 || largest >= 1e9) {
    // Uses enough digits that neighbouring labels differ.
    const digits = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step));
    return powerText(value, Math.min(9, Math.max(2, digits)));
  }
  const [unit, letter] = largest >= 1e6 ? [1e6, "M"] : largest >= 1e4 ? [1e3, "k"] : [1, ""];
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit) + 1e-9)));
  return withMinus(`${(value / unit).toFixed(digits)}${letter}`);
}

/** Ticks at powers of ten; with fewer than three, also at 2 and 5 times them; within one power, evenly spaced. */
function logTicks(domain: readonly [number, number], count: number): Tick[] {
  const powers = multiplesOfPowers(domain, [1]);
  if (powers.length >= 3) {
    const stride = Math.ceil(powers.length / (count + 2));
    return powers.filter((_, i) => i % stride === 0).map((value) => ({ value, text: logText(value) }));
  }
  const more = multiplesOfPowers(domain, [1, 2, 5]);
  if (more.length >= 3) return more.map((value) => ({ value, text: logText(value) }));
  return linearTicks(domain, Math.min(count, 4));
}

function multiplesOfPowers([from, to]: readonly [number, number], factors: readonly number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    for (const factor of factors) {
      const value = Number(`${factor}e${power}`);
      if (value >= from && value <= to) found.push(value);
    }
  }
  return found;
}

function logText(value: number): string {
  return value >= 1e-3 && value < 1e6
    ? value.toLocaleString("en-US", { maximumSignificantDigits: 3 })
    : powerText(value);
}

/** A number as text, such as "2·10⁻⁵", with at most `maxDecimals` digits after the point. */
function powerText(value: number, maxDecimals = 2): string {
  const [digits, power] = value.toExponential(maxDecimals).split("e");
  const raised = [...String(Number(power))].map((digit) => SUPERSCRIPTS[digit]).join("");
  const factor = String(Number(digits));
  return withMinus(factor === "1" ? `10${raised}` : `${factor}·10${raised}`);
}

/** Replaces the hyphen of a negative number by a minus sign. */
function withMinus(text: string): string {
  return text.replace(/^-/, "−");
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  "-": "⁻",
  ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((raised, digit) => [String(digit), raised])),
};
