// The settings that a sweep tries: all combinations of a grid, or a random sample. Each is a method with its settings.

import { keysOfMethod, type ParsedMethod } from "../compare/method-names.ts";
import { methodText } from "../compare/method-text.ts";
import { RandomStream } from "../engine/index.ts";
import { isRange, numberAt, type Variation } from "./variation.ts";

/** One setting of a sweep. */
export interface SweepPoint {
  /** The method with all its settings, which names the setting. */
  readonly method: string;
  /** The values of the varied keys, as text. */
  readonly values: Readonly<Record<string, string>>;
}

type Choice = Readonly<Record<string, unknown>>;

/** Draws of a random sample per setting, before the sample counts as exhausted. */
const MOST_DRAWS = 100;

/** All combinations of the values, the last key varying fastest. */
export function gridPoints(base: ParsedMethod, variations: readonly Variation[]): SweepPoint[] {
  let choices: Choice[] = [{}];
  for (const { key, kind, values } of variations) {
    const all = isRange(values)
      ? Array.from({ length: values.count }, (_, i) => numberAt(values, i / (values.count - 1), kind))
      : values;
    choices = choices.flatMap((choice) => all.map((value) => ({ ...choice, [key]: value })));
  }
  return distinct(choices.map((choice) => pointOf(base, variations, choice)));
}

/** At most `count` different settings, drawn uniformly, or uniformly in the logarithm. */
export function randomPoints(
  base: ParsedMethod,
  variations: readonly Variation[],
  { count, seed }: { readonly count: number; readonly seed: number },
): SweepPoint[] {
  const stream = RandomStream.fromSeed(seed).split("sweep");
  const points = new Map<string, SweepPoint>();
  for (let draw = 0; points.size < count && draw < MOST_DRAWS * count; draw++) {
    const choice = variations.map(({ key, kind, values }) => [
      key,
      isRange(values) ? numberAt(values, stream.uniform(), kind) : values[stream.integer(values.length)],
    ]);
    const point = pointOf(base, variations, Object.fromEntries(choice));
    points.set(point.method, point);
  }
  return [...points.values()];
}

function pointOf(base: ParsedMethod, variations: readonly Variation[], choice: Choice): SweepPoint {
  const own = keysOfMethod(base.name);
  const part = (isOwn: boolean) =>
    Object.fromEntries(Object.entries(choice).filter(([key]) => Object.hasOwn(own, key) === isOwn));
  const method = methodText({
    name: base.name,
    settings: { ...base.settings, ...part(true) },
    problem: { ...base.problem, ...part(false) },
  });
  const values = variations.map(({ key, kind }) => [key, kind.toText(choice[key])]);
  return { method, values: Object.fromEntries(values) };
}

function distinct(points: readonly SweepPoint[]): SweepPoint[] {
  return [...new Map(points.map((point) => [point.method, point])).values()];
}
