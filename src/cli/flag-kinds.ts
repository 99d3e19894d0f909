// Kinds of values that flags take: the rule, for people, and how a text is read. It loads nothing, for `--help`.

import type { Option } from "commander";
import type { TypedCommand } from "./typed.ts";

/** `read` gives undefined for a text that breaks the rule. */
export interface FlagKind<T> {
  readonly rule: string;
  read(text: string): T | undefined;
  /** What is wrong with a text that is refused, where more can be said than the rule. */
  problem?(text: string): string | undefined;
}

/** A flag of a command, still to be added. */
export function flagOf(
  command: TypedCommand,
  flags: string,
  description: string,
  kind: FlagKind<unknown>,
): Option {
  return command.flag(flags, description, kind);
}

export function wholeNumber(least = 1, most?: number): FlagKind<number> {
  const largest = most ?? Number.MAX_SAFE_INTEGER;
  return {
    rule: `a whole number from ${least} to ${most ?? "2^53 - 1"}`,
    read: (text) => numberIn(text, (value) => Number.isInteger(value) && value >= least && value <= largest),
  };
}

/** A number between two others, those among them unless said otherwise. */
export function numberBetween(
  low: number,
  high: number,
  { open = false }: { readonly open?: boolean } = {},
): FlagKind<number> {
  const rule =
    high === Number.POSITIVE_INFINITY
      ? `a number ${open ? "above" : "from"} ${low}${open ? "" : " on"}`
      : `a number ${open ? "between" : "from"} ${low} ${open ? "and" : "to"} ${high}`;
  const fits = (value: number) => (open ? value > low && value < high : value >= low && value <= high);
  return { rule, read: (text) => numberIn(text, fits) };
}

export const positiveNumber: FlagKind<number> = {
  rule: "a number above 0",
  read: (text) => numberIn(text, (value) => value > 0),
};

/** A probability of what does not always happen. */
export const belowOne: FlagKind<number> = {
  rule: "a number from 0 on and below 1",
  read: (text) => numberIn(text, (value) => value >= 0 && value < 1),
};

/** The name of a file or folder. An empty one is a variable that was not set. */
export const aName: FlagKind<string> = {
  rule: "a name",
  read: (text) => (text === "" ? undefined : text),
};

export function oneOf<T extends string>(names: readonly T[]): FlagKind<T> {
  return { rule: `one of ${names.join(", ")}`, read: (text) => names.find((name) => name === text) };
}

/** Several of a kind, apart by commas. */
export function listOf<T>(kind: FlagKind<T>, rule: string): FlagKind<readonly T[]> {
  const partsOf = (text: string) => text.split(",").map((part) => part.trim());
  const readPart = (part: string) => (part === "" ? undefined : kind.read(part));
  return {
    rule,
    read(text) {
      const values = partsOf(text).map(readPart);
      return values.some((value) => value === undefined) ? undefined : (values as T[]);
    },
    problem(text) {
      const wrong = partsOf(text).find((part) => readPart(part) === undefined);
      return wrong === undefined ? undefined : kind.problem?.(wrong);
    },
  };
}

function numberIn(text: string, fits: (value: number) => boolean): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && fits(value) ? value : undefined;
}
