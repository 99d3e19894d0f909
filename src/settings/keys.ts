// A table of options: the kind, help, group and default of each key. Flags, `--help` and the config file derive from it.

import { type Kind, path } from "./kinds.ts";

/** The default value, or a text that describes how it depends on other settings. */
export type Default<T> = { readonly value: T } | { readonly depends: string };

/** Headings of `--help`, in the order in which it prints them. */
export const GROUPS = {
  task: "Task",
  objective: "Objective",
  reward: "Reward",
  networks: "Networks",
  encoder: "Encoder",
  learning: "Learning",
  exploration: "Exploration",
  entropy: "Entropy",
  replay: "Replay",
  calls: "Calls",
  run: "Run",
} as const;
export type Group = keyof typeof GROUPS;

/** Description of an option; `Key` adds its group in `--help`. */
export interface Described<T = unknown> {
  readonly kind: Kind<T>;
  /** One line of help, without a rule or default. Names of other options are in backticks. */
  readonly help: string;
  readonly default: Default<T>;
}

export interface Key<T = unknown> extends Described<T> {
  readonly group: Group;
  /** For an option that names a file: values that name built-in data instead. */
  readonly file?: { readonly builtIn: readonly string[] };
  /** For an option whose default depends on the content of a file: the option that names the file. */
  readonly from?: string;
}

export type DescribedKeys<T> = { readonly [K in keyof T]-?: Described<Exclude<T[K], undefined>> };
export type Keys<T> = { readonly [K in keyof T]-?: Key<Exclude<T[K], undefined>> };

export function key<T>(kind: Kind<T>, group: Group, help: string, byDefault: Default<NoInfer<T>>): Key<T> {
  return { kind, group, help, default: byDefault };
}

/** An option that names a file. A complete config has the absolute path, and the file's SHA-256 beside it. */
export function fileKey(
  group: Group,
  help: string,
  byDefault: Default<string>,
  builtIn: readonly string[] = [],
): Key<string> {
  return { kind: path(...builtIn), group, help, default: byDefault, file: { builtIn } };
}

/** The default as text, for help. */
export function defaultText<T>({ kind, default: byDefault }: Described<T>): string {
  return "value" in byDefault ? kind.toText(byDefault.value) : byDefault.depends;
}

/** A fixed default value. */
export const is = <const T>(value: T) => ({ value });
/** A default that depends on other settings; the text describes how. */
export const depends = (text: string) => ({ depends: text });

/** The defaults that do not depend on other settings. */
export function fixedDefaults<T>(keys: DescribedKeys<T>): Partial<T> {
  const entries = Object.entries<Described>(keys as Readonly<Record<string, Described>>).flatMap(
    ([name, { default: byDefault }]) => ("value" in byDefault ? [[name, byDefault.value]] : []),
  );
  return Object.fromEntries(entries) as Partial<T>;
}
