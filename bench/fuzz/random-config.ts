// Random configs. Most configs are small and almost valid, so that many reach training; some have extreme or invalid
// values.

import { CONFIG_KEYS, type Config, TASK_NAMES, tasksWith } from "../../src/config/config.ts";
import { problemOf } from "../../src/settings/kinds.ts";
import { arbitraryValue, EXTREME_NUMBERS, INVALID_NAMES, type Random } from "./random.ts";

export type AnyConfig = Record<string, unknown>;

/** Files that configs can refer to. */
export interface InputFiles {
  readonly table: string;
  /** Of the task `table`. */
  readonly scores: string;
  readonly offline: Readonly<Record<string, string>>;
}

export function randomConfig(random: Random, files: InputFiles): AnyConfig {
  // tfbind8, the first task, is slow and therefore less frequent.
  const task = random.pick([...TASK_NAMES, ...TASK_NAMES.slice(1), ...TASK_NAMES.slice(1)]);
  const sizes = smallSizes(random, task, files);
  const config: AnyConfig = { task, ...sizes };
  const plausible = random.pick([0.05, 0.2, 0.4]);
  const extreme = random.pick([0, 0, 0.01, 0.05]);
  const invalid = random.pick([0, 0, 0, 0.01, 0.03, 0.3]);
  for (const [name, { kind }] of Object.entries(CONFIG_KEYS)) {
    const belongs = tasksWith(name)?.some((owner) => owner.name === task) ?? true;
    const firstValid = (make: () => unknown) => {
      for (let tries = 0; tries < 20; tries++) {
        const value = make();
        if (problemOf(kind, value) === null) return value;
      }
      return config[name] ?? null;
    };
    if (random.chance(invalid)) config[name] = invalidValue(name, random);
    else if (belongs && random.chance(extreme)) config[name] = firstValid(() => extremeValue(name, random));
    else if (belongs && !(name in config) && random.chance(plausible)) {
      config[name] = firstValid(() => plausibleValue(name, task, random, files));
    }
  }
  if ("offlineShare" in config && random.chance(0.7)) config.offlineFile ??= files.offline[task];
  if (random.chance(0.03)) config[unknownKey(random)] = arbitraryValue(random);
  if (random.chance(0.05)) config.version = random.pick<unknown>([2, 2, 2, 3, "2", 1, null, -1, 1e99]);
  for (const name of Object.keys(CONFIG_KEYS)) if (random.chance(invalid / 2)) delete config[name];
  return config;
}

/** A value that is not a config object. */
export function nonConfig(random: Random): unknown {
  return random.chance(0.5) ? arbitraryValue(random) : Object.create(null);
}

/** Sizes that train quickly. Later random values can make the config larger. */
function smallSizes(random: Random, task: string, files: InputFiles): Config {
  const word = random.between(1, 4);
  const taskSizes: Record<string, Config> = {
    tfbind8: {},
    hypergrid: { dimensions: random.between(1, 3), side: random.between(2, 5) },
    "bit-sequence": { bits: word * random.between(1, 3), word, modes: random.between(1, 2) },
    regime: {},
    pricing: { months: random.between(1, 2) },
    table: { scores: files.scores },
  };
  return {
    ...taskSizes[task],
    hidden: Array.from({ length: random.below(3) }, () => random.between(1, 12)),
    encoderLayers: 1,
    encoderWidth: random.pick([4, 8]),
    encoderHeads: random.pick([1, 2, 4]),
    dynamicsHidden: Array.from({ length: random.below(3) }, () => random.between(1, 6)),
    batch: random.between(1, 12),
    replayCapacity: random.between(1, 50),
  };
}

/** A value that is probably valid. */
function plausibleValue(name: string, task: string, random: Random, files: InputFiles): unknown {
  const { kind } = CONFIG_KEYS[name];
  switch (kind.argument) {
    case null:
      return random.chance(0.5);
    case "<n>":
      return random.pick([0, 1, 2, 3, random.below(10), random.below(100)]);
    case "<x>":
      return plausibleNumber(random);
    case "<n,n|none>":
      return Array.from({ length: random.below(4) }, () => random.between(1, 16));
    case "<x|from:to>":
      // The sum of all shares must be at most 1.
      if (name.endsWith("Share")) return random.uniform() / 3;
      return random.chance(0.4) ? plausibleNumber(random) : plausibleSchedule(random);
    case "<name>":
      return random.pick(kind.rule.replace(/^one of /, "").split(", "));
    case "<file>":
      return name === "table"
        ? random.pick(["surrogate", "simplified", files.table])
        : random.pick([
            files.offline[task],
            files.offline[task],
            "package.json",
            "no-such-file",
            ".",
            "/dev/zero",
          ]);
    case "<text>":
      return random.pick(["x1", "1 / x1", "x1 + i1 > .5", "AB", "ABC", "AA"]);
    case "<json>":
      return plausiblePlan(random);
    default:
      throw new Error(`fuzz: unknown kind of argument ${kind.argument} of ${name}`);
  }
}

function plausiblePlan(random: Random): object[] {
  const iterations = random.between(1, 9);
  const first = {
    iteration: random.below(2),
    iterations,
    anchor: 0,
    progress: 0,
    evaluateEvery: random.below(3),
  };
  const later = {
    ...first,
    iteration: iterations,
    iterations: random.between(1, 12),
    progress: random.uniform(),
  };
  return random.chance(0.5) ? [first] : [first, later];
}

function plausibleNumber(random: Random): number {
  return random.pick([0, 1, 0.5, 2, random.uniform(), random.uniform(), random.scale()]);
}

function plausibleSchedule(random: Random): object {
  return {
    from: plausibleNumber(random),
    to: plausibleNumber(random),
    ...(random.chance(0.5) && { shape: random.pick(["linear", "cosine", "exponential"]) }),
    ...(random.chance(0.5) && { until: random.uniform() }),
  };
}

/** An arbitrary value, or an extreme value of the right type. */
function invalidValue(name: string, random: Random): unknown {
  return random.chance(0.4) ? arbitraryValue(random) : extremeValue(name, random);
}

/** A value of the right type and an extreme magnitude. */
function extremeValue(name: string, random: Random): unknown {
  const extreme = () => random.pick(EXTREME_NUMBERS);
  switch (CONFIG_KEYS[name].kind.argument) {
    case "<n,n|none>": {
      const layers = random.pick([1, 2, 32, 33, 1000]);
      return Array.from({ length: layers }, () => (random.chance(0.1) ? extreme() : random.between(1, 3)));
    }
    case "<x|from:to>":
      return random.chance(0.5)
        ? extreme()
        : { from: extreme(), to: extreme(), until: random.pick([1, extreme()]) };
    default:
      return extreme();
  }
}

function unknownKey(random: Random): string {
  const name = random.pick(Object.keys(CONFIG_KEYS));
  return random.pick([
    random.pick(INVALID_NAMES),
    name.slice(1),
    `${name}s`,
    name.toUpperCase(),
    name.repeat(200),
  ]);
}
