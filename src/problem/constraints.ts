// Turns the constraints of a problem file into constraints by token index, and reports those that cannot be meant.

import type { Constraint } from "../constraints/constraint.ts";
import { lengthText, type SequenceSpace } from "../constraints/space.ts";
import type { Alphabet } from "./alphabet.ts";
import type { Letters } from "./letters.ts";
import type { CONSTRAINT_FIELDS } from "./problem-keys.ts";
import { keyPath, type Report } from "./report.ts";
import type { Values } from "./shapes.ts";
import { readTemplate } from "./template.ts";

export type ConstraintValues = Values<typeof CONSTRAINT_FIELDS>;

/** What constraints are about. */
export interface ConstraintContext {
  readonly alphabet: Alphabet;
  readonly space: SequenceSpace;
  readonly letters: Letters;
  readonly report: Report;
}

/** The constraints in the order of the table of keys. */
export function readConstraints(values: ConstraintValues, context: ConstraintContext): Constraint[] {
  return [
    ...(values.template === undefined ? [] : readTemplate(values.template, context)),
    ...each(values.forbid).flatMap(([motif, i]) => forbidden(motif, `constraints.forbid[${i}]`, context)),
    ...each(values.require).flatMap(([motif, i]) => needed(motif, `constraints.require[${i}]`, context)),
    ...(values.pairs === undefined ? [] : pairs(values.pairs, context)),
    ...(values.gc === undefined ? [] : gcRange(values.gc, context)),
    ...(values.homopolymer === undefined
      ? []
      : [
          {
            kind: "homopolymer" as const,
            longest: values.homopolymer,
            name: `homopolymer ${values.homopolymer}`,
          },
        ]),
    ...each(values.composition).flatMap(([limit, i]) =>
      composition(limit, `constraints.composition[${i}]`, context),
    ),
    ...(values.mutations === undefined ? [] : mutations(values.mutations, context)),
  ];
}

/** The items of a list that are not wrong, with their index. */
function each<T>(items: readonly (T | undefined)[] = []): [T, number][] {
  return items.flatMap((item, i): [T, number][] => (item === undefined ? [] : [[item, i]]));
}

function isTooLong(length: number, path: string, { space, report }: ConstraintContext): boolean {
  if (length <= space.length.max) return false;
  report.issue(
    path,
    "range",
    `must have at most as many tokens as a string, ${space.length.max}, got ${length}`,
  );
  return true;
}

function forbidden(text: string, path: string, context: ConstraintContext): Constraint[] {
  const sets = context.letters.sets(text, path);
  if (!sets || isTooLong(sets.length, path, context)) return [];
  const motif = sets.map((set) => (set.length === 1 ? set[0] : set));
  return [{ kind: "forbid", motif, name: `forbid ${text}` }];
}

function needed(text: string, path: string, context: ConstraintContext): Constraint[] {
  const motif = context.letters.tokens(text, path);
  if (!motif || isTooLong(motif.length, path, context)) return [];
  return [{ kind: "require", motif, name: `require ${text}` }];
}

function pairs(rows: NonNullable<ConstraintValues["pairs"]>, context: ConstraintContext): Constraint[] {
  const { alphabet, letters, report } = context;
  const allowed = alphabet.tokens.map(() => alphabet.tokens.map(() => true));
  const seen = new Set<number>();
  for (const [first, followers] of rows) {
    const path = keyPath("constraints.pairs", first);
    const token = letters.token(first, path);
    const set = letters.tokenSet(followers, path);
    if (token === undefined || !set) continue;
    if (seen.has(token)) report.issue(path, "conflict", "must be the only row of its token, got two");
    seen.add(token);
    allowed[token] = alphabet.tokens.map((_, second) => set.includes(second));
  }
  return [{ kind: "pairs", allowed, name: "pairs" }];
}

function gcRange(
  { min = 0, max = 1 }: NonNullable<ConstraintValues["gc"]>,
  { alphabet: { tokens }, report }: ConstraintContext,
): Constraint[] {
  const indices = ["G", "C"].map((letter) => tokens.indexOf(letter));
  if (indices.includes(-1)) {
    report.issue(
      "constraints.gc",
      "conflict",
      "must belong to an alphabet with the letters G and C, such as DNA",
    );
    return [];
  }
  return [{ kind: "composition", tokens: indices, min, max, unit: "fraction", name: `gc ${min} to ${max}` }];
}

function composition(
  limit: NonNullable<NonNullable<ConstraintValues["composition"]>[number]>,
  path: string,
  { space, letters, report }: ConstraintContext,
): Constraint[] {
  const { tokens: given, unit = "count", min, max } = limit;
  if (given === undefined) return [];
  const indices = letters.tokenSet(given, `${path}.tokens`);
  const most = unit === "count" ? space.length.max : 1;
  const isWrong = ([, value]: readonly [string, number | undefined]) =>
    value !== undefined && (unit === "count" ? !Number.isInteger(value) : value > 1);
  const wrong = (
    [
      ["min", min],
      ["max", max],
    ] as const
  ).filter(isWrong);
  for (const [name, value] of wrong) {
    const rule = unit === "count" ? "a whole number with the unit count" : "at most 1 with the unit fraction";
    report.issue(`${path}.${name}`, "range", `must be ${rule}, got ${value}`);
  }
  if (!("min" in limit || "max" in limit)) report.issue(path, "missing", "must have min, max or both");
  if (wrong.length > 0 || !indices) return [];
  if (min !== undefined && min > most) {
    report.issue(`${path}.min`, "range", `must be at most the length, ${most}, got ${min}`);
  }
  const text = typeof given === "string" ? given : given.join(" ");
  const name = `composition ${text} ${min ?? 0} to ${max ?? most}`;
  return [
    { kind: "composition", tokens: indices, min: min ?? 0, max: Math.min(max ?? most, most), unit, name },
  ];
}

function mutations(
  { parent, most }: NonNullable<ConstraintValues["mutations"]>,
  { space, letters, report }: ConstraintContext,
): Constraint[] {
  if (parent === undefined || most === undefined) return [];
  const path = "constraints.mutations.parent";
  const indices = letters.tokens(parent, path);
  if (!indices) return [];
  if (indices.length < space.length.min || indices.length > space.length.max) {
    report.issue(path, "range", `must have ${lengthText(space.length)}, got ${indices.length}`);
    return [];
  }
  return [{ kind: "mutations", parent: indices, most, name: `at most ${most} mutations` }];
}
