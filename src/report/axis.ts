// Axes: what stands beside them, from where to where they go, and which numbers are marked.

export interface Axis {
  readonly label: string;
  readonly unit?: string;
  /** "auto" takes a logarithmic one where all values are above 0 and they differ much. */
  readonly scale?: "linear" | "log" | "auto";
  /** Values that must be on it, as 0 for counts; a logarithmic one leaves out what is not above 0. */
  readonly include?: readonly number[];
  /** Whether only whole numbers are marked, if it is linear. */
  readonly whole?: boolean;
}

/** An axis that knows its numbers. */
export interface Scale {
  readonly type: "linear" | "log";
  readonly domain: readonly [number, number];
  readonly ticks: readonly Tick[];
  /** "total variation (nats)" */
  readonly title: string;
}

export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** From here on a number is as good as infinite: ratios and differences of two must still be numbers. */
const LARGEST = 1e100;
/** Ratio of the largest to the smallest value from which on an "auto" axis is logarithmic. */
const MUCH = 20;

/** Whether an axis is logarithmic for these values, of which some may not be finite. */
export function scaleType({ scale = "linear" }: Axis, values: readonly number[]): "linear" | "log" {
  if (scale !== "auto") return scale;
  const [least, most] = extent(values.filter(Number.isFinite));
  return least > 0 && most / least >= MUCH ? "log" : "linear";
}

/** Whether a value has a place on an axis. */
export function isDrawable(value: number, type: "linear" | "log"): boolean {
  return Math.abs(value) < LARGEST && (type === "linear" || value > 1 / LARGEST);
}

/** For drawable values; `room` is left beyond the outermost, as a share of all; about `count` numbers are marked. */
export function scaleOf(
  axis: Axis,
  type: "linear" | "log",
  values: readonly number[],
  { room, count }: { readonly room: number; readonly count: number },
): Scale {
  const all = [...values, ...(axis.include ?? [])].filter((value) => isDrawable(value, type));
  const domain = type === "log" ? logDomain(all, room) : linearDomain(all, axis.include ?? [], room);
  const ticks = type === "log" ? logTicks(domain, count) : linearTicks(domain, count, axis.whole ? 1 : 0);
  return { type, domain, ticks, title: axis.unit ? `${axis.label} (${axis.unit})` : axis.label };
}

/** Where a value lies between the ends of an axis, from 0 to 1. */
export function fraction({ type, domain: [from, to] }: Scale, value: number): number {
  const place = type === "log" ? Math.log : (x: number) => x;
  return (place(value) - place(from)) / (place(to) - place(from));
}

/** Least and largest, however many there are; NaN if there are none. */
export function extent(values: Iterable<number>): [number, number] {
  let [least, most] = [Number.NaN, Number.NaN];
  for (const value of values) {
    if (!(value >= least)) least = value;
    if (!(value <= most)) most = value;
  }
  return [least, most];
}

function linearDomain(values: readonly number[], fixed: readonly number[], share: number): [number, number] {
  const [least, most] = extent(values);
  // Too near to be told apart from rounding: one value in the middle.
  const size = Math.max(Math.abs(least), Math.abs(most));
  if (most - least <= Math.max(1e-9 * size, 1 / LARGEST)) {
    const room = size < 1 / LARGEST ? 1 : size / 2;
    return [fixed.includes(least) ? least : least - room, most + room];
  }
  const room = share * (most - least);
  return [fixed.includes(least) ? least : least - room, fixed.includes(most) ? most : most + room];
}

function logDomain(values: readonly number[], share: number): [number, number] {
  const [least, most] = extent(values);
  if (most / least <= 1 + 1e-9) return [least / 2, most * 2];
  const room = (most / least) ** share;
  return [least / room, most * room];
}

/** Multiples of 1, 2 or 5 times a power of ten, at least so far apart. */
function linearTicks([from, to]: readonly [number, number], count: number, apart = 0): Tick[] {
  const power = Math.floor(Math.log10((to - from) / count));
  const found = ["1", "2", "5", "10"]
    .map((factor) => Number(`${factor}e${power}`)) // 10 ** -5 has a wrong last digit
    .reduce((best, other) => (unlike(other) < unlike(best) ? other : best));
  const step = Math.max(found, apart);
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) ticks.push(i * step);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  return ticks.map((value) => ({ value, text: linearText(value, step, largest) }));

  function unlike(other: number): number {
    return Math.abs((to - from) / other - count);
  }
}

function linearText(value: number, step: number, largest: number): string {
  if (Math.abs(value) < step / 2) return "0";
  if (largest < 1e-3 || largest >= 1e9) {
    // Neighbours must not read the same.
    const apart = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step));
    return powerText(value, Math.min(9, Math.max(2, apart)));
  }
  const [unit, letter] = largest >= 1e6 ? [1e6, "M"] : largest >= 1e4 ? [1e3, "k"] : [1, ""];
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit) + 1e-9)));
  return withMinus(`${(value / unit).toFixed(digits)}${letter}`);
}

/** Powers of ten; with 2 and 5 times them where those are few, and evenly spaced within one power. */
function logTicks(domain: readonly [number, number], count: number): Tick[] {
  const powers = marks(domain, [1]);
  if (powers.length >= 3) {
    const stride = Math.ceil(powers.length / (count + 2));
    return powers.filter((_, i) => i % stride === 0).map((value) => ({ value, text: logText(value) }));
  }
  const more = marks(domain, [1, 2, 5]);
  if (more.length >= 3) return more.map((value) => ({ value, text: logText(value) }));
  return linearTicks(domain, Math.min(count, 4));
}

function marks([from, to]: readonly [number, number], factors: readonly number[]): number[] {
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

/** 2·10⁻⁵, with at most so many digits after the point. */
function powerText(value: number, most = 2): string {
  const [digits, power] = value.toExponential(most).split("e");
  const raised = [...String(Number(power))].map((digit) => SUPERSCRIPTS[digit]).join("");
  const factor = String(Number(digits));
  return withMinus(factor === "1" ? `10${raised}` : `${factor}·10${raised}`);
}

/** With a minus as wide as a plus, not a hyphen. */
function withMinus(text: string): string {
  return text.replace(/^-/, "−");
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  "-": "⁻",
  ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((raised, digit) => [String(digit), raised])),
};
