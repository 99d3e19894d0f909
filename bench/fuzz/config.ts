// Random configs: mostly small and nearly right, so that many come through to training, with extremes among them.

import {
  type Config,
  isFor,
  KEY_NAMES,
  type KeyName,
  keyOf,
  TASKS,
  type TaskName,
} from "../../src/cli/config/keys.ts";
import { type Chance, EXTREME, NAMES, strangeValue } from "./random.ts";

export type AnyConfig = Record<string, unknown>;

/** Files that a config may name. */
export interface NamedFiles {
  readonly table: string;
  readonly known: Readonly<Record<TaskName, string>>;
}

export function randomConfig(chance: Chance, files: NamedFiles): AnyConfig {
  // All strings of DNA take their time.
  const task = chance.pick([...TASKS, ...TASKS.slice(1), ...TASKS.slice(1)]);
  const sizes = smallSizes(chance, task);
  const config: AnyConfig = { task, ...sizes };
  const likely = chance.pick([0.05, 0.2, 0.4]);
  const extreme = chance.pick([0, 0, 0.01, 0.05]);
  const strange = chance.pick([0, 0, 0, 0.01, 0.03, 0.3]);
  for (const name of KEY_NAMES) {
    const { kind } = keyOf(name);
    const belongs = isFor(name, task);
    const right = (make: () => unknown) => {
      for (let tries = 0; tries < 20; tries++) {
        const value = make();
        if (kind.problem(value) === null) return value;
      }
      return config[name] ?? null;
    };
    if (chance.happens(strange)) config[name] = strangeFor(name, chance);
    else if (belongs && chance.happens(extreme)) config[name] = right(() => extremeFor(name, chance));
    else if (belongs && !(name in config) && chance.happens(likely)) {
      config[name] = right(() => likelyFor(name, task, chance, files));
    }
  }
  if ("offlineShare" in config && chance.happens(0.7)) config.known ??= files.known[task];
  if (chance.happens(0.03)) config[misspelt(chance)] = strangeValue(chance);
  if (chance.happens(0.05)) config.version = chance.pick<unknown>([1, 1, 1, 2, "1", 0, null, -1, 1e99]);
  for (const name of KEY_NAMES) if (chance.happens(strange / 2)) delete config[name];
  return config;
}

/** What is no object of settings at all. */
export function noConfig(chance: Chance): unknown {
  return chance.happens(0.5) ? strangeValue(chance) : Object.create(null);
}

/** Sizes that train in a moment; what is chosen on top may be larger. */
function smallSizes(chance: Chance, task: TaskName): Config {
  const word = chance.between(1, 4);
  const own: Record<TaskName, Config> = {
    tfbind8: {},
    hypergrid: { dimensions: chance.between(1, 3), side: chance.between(2, 5) },
    "bit-sequence": { bits: word * chance.between(1, 3), word, modes: chance.between(1, 2) },
    regime: {},
    pricing: { months: chance.between(1, 2) },
  };
  return {
    ...own[task],
    hidden: Array.from({ length: chance.below(3) }, () => chance.between(1, 12)),
    encoderLayers: 1,
    encoderWidth: chance.pick([4, 8]),
    encoderHeads: chance.pick([1, 2, 4]),
    dynamicsHidden: Array.from({ length: chance.below(3) }, () => chance.between(1, 6)),
    batch: chance.between(1, 12),
    replayCapacity: chance.between(1, 50),
  };
}

/** A value that may well be right. */
function likelyFor(name: KeyName, task: TaskName, chance: Chance, files: NamedFiles): unknown {
  const { kind } = keyOf(name);
  switch (kind.argument) {
    case null:
      return chance.happens(0.5);
    case "<n>":
      return chance.pick([0, 1, 2, 3, chance.below(10), chance.below(100)]);
    case "<x>":
      return likelyNumber(chance);
    case "<n,n|none>":
      return Array.from({ length: chance.below(4) }, () => chance.between(1, 16));
    case "<x|from:to>":
      // Shares must leave room for each other.
      if (name.endsWith("Share")) return chance.uniform() / 3;
      return chance.happens(0.4) ? likelyNumber(chance) : likelyCourse(chance);
    case "<name>":
      return chance.pick(kind.rule.replace(/^one of /, "").split(", "));
    case "<file>":
      return name === "table"
        ? chance.pick(["surrogate", "simplified", files.table])
        : chance.pick([
            files.known[task],
            files.known[task],
            "package.json",
            "no-such-file",
            ".",
            "/dev/zero",
          ]);
    default:
      throw new Error(`fuzz: ${name} takes ${kind.argument}, which is not known here`);
  }
}

function likelyNumber(chance: Chance): number {
  return chance.pick([0, 1, 0.5, 2, chance.uniform(), chance.uniform(), chance.scale()]);
}

function likelyCourse(chance: Chance): object {
  return {
    from: likelyNumber(chance),
    to: likelyNumber(chance),
    ...(chance.happens(0.5) && { shape: chance.pick(["linear", "cosine", "exponential"]) }),
    ...(chance.happens(0.5) && { until: chance.uniform() }),
  };
}

/** Any value, often of the right form. */
function strangeFor(name: KeyName, chance: Chance): unknown {
  return chance.happens(0.4) ? strangeValue(chance) : extremeFor(name, chance);
}

/** A value of the right form and an extreme size. */
function extremeFor(name: KeyName, chance: Chance): unknown {
  const extreme = () => chance.pick(EXTREME);
  switch (keyOf(name).kind.argument) {
    case "<n,n|none>": {
      const layers = chance.pick([1, 2, 32, 33, 1000]);
      return Array.from({ length: layers }, () => (chance.happens(0.1) ? extreme() : chance.between(1, 3)));
    }
    case "<x|from:to>":
      return chance.happens(0.5)
        ? extreme()
        : { from: extreme(), to: extreme(), until: chance.pick([1, extreme()]) };
    default:
      return extreme();
  }
}

function misspelt(chance: Chance): string {
  const name = chance.pick(KEY_NAMES);
  return chance.pick([chance.pick(NAMES), name.slice(1), `${name}s`, name.toUpperCase(), name.repeat(200)]);
}
