// Shapes of values in a problem file. A shape reads a node, reports everything that is wrong with it, and describes
// itself as JSON Schema, so that each rule stands once.

import { type Issue, show } from "../issues.ts";
import { type JsonSchema, type Kind, problemOf } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";
import { type Node, plainValue } from "./document.ts";
import { keyPath, type Report } from "./report.ts";

/** How a value is read, and its rule. */
export interface Shape<T> {
  /** Completes "must be …". */
  readonly rule: string;
  readonly schema: JsonSchema;
  /** The value; undefined if it is wrong, which is then reported. Members of a map may be missing for that reason. */
  read(node: Node, path: string, report: Report): T | undefined;
}

/** A key of a map. */
export interface Field<T> {
  readonly shape: Shape<T>;
  /** One sentence without a capital letter and a full stop. */
  readonly help: string;
  readonly required: boolean;
  /** What holds if the key is missing, in words. */
  readonly byDefault?: string;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The values of a map of fields. Any may be missing, because it was not given or was wrong. */
export type Values<F> = { readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never };

/** The type of the values that a shape reads. */
export type ValueOf<S> = S extends Shape<infer T> ? T : never;

export function required<T>(shape: Shape<T>, help: string): Field<T> {
  return { shape, help, required: true };
}

export function optional<T>(shape: Shape<T>, help: string, byDefault?: string): Field<T> {
  return { shape, help, required: false, ...(byDefault !== undefined && { byDefault }) };
}

/** A value of a kind that settings have, such as a number or one of several names. */
export function plain<T>(kind: Kind<T>): Shape<T> {
  if (!kind.schema) throw new TypeError(`the kind "${kind.rule}" must have a JSON Schema`);
  return {
    rule: kind.rule,
    schema: kind.schema,
    read(node, path, report) {
      const value = plainValue(node);
      const problem = problemOf(kind, value);
      if (problem === null) return value as T;
      report.issue(path, "range", problem);
      return undefined;
    },
  };
}

/**
 * A text, taken as it is written: `0110`, `NAN` and `null` without quotes are texts here and not values of YAML.
 * `isLetters`: for strings over the alphabet, which editors must accept in that form too.
 */
export function textOf(kind: Kind<string>, isLetters = false): Shape<string> {
  return {
    rule: kind.rule,
    schema: isLetters ? { type: ["string", "number", "boolean", "null"] } : (kind.schema as JsonSchema),
    read(node, path, report) {
      const text = node.kind === "scalar" && (isLetters || node.value !== null) ? node.text : null;
      const problem = problemOf(kind, text ?? plainValue(node));
      if (problem === null && text !== null) return text;
      report.issue(path, "range", problem ?? `must be ${kind.rule}, got ${show(plainValue(node))}`);
      return undefined;
    },
  };
}

/** A list; items that are wrong are undefined, so that the others keep their index. */
export function listOf<T>(
  shape: Shape<T>,
  rule: string,
  { least = 1, most = 1_000_000 } = {},
): Shape<readonly (T | undefined)[]> {
  return {
    rule,
    schema: { type: "array", items: shape.schema, minItems: least, maxItems: most },
    read(node, path, report) {
      if (node.kind !== "list" || node.items.length < least || node.items.length > most) {
        const got =
          node.kind === "list" && node.items.length > most ? `${node.items.length} items` : undefined;
        report.issue(path, "range", `must be ${rule}, got ${got ?? show(plainValue(node))}`);
        return undefined;
      }
      return node.items.map((item, i) => {
        report.at(`${path}[${i}]`, item.line);
        return shape.read(item, `${path}[${i}]`, report);
      });
    },
  };
}

/** A map whose keys are not known, such as tokens of the alphabet. */
export function mapOf<T>(shape: Shape<T>, rule: string): Shape<readonly (readonly [string, T])[]> {
  return {
    rule,
    schema: { type: "object", additionalProperties: shape.schema, minProperties: 1 },
    read(node, path, report) {
      if (node.kind !== "map" || node.entries.length === 0) {
        report.issue(path, "range", `must be ${rule}, got ${show(plainValue(node))}`);
        return undefined;
      }
      return node.entries.flatMap(({ key, node: each, line }) => {
        const at = keyPath(path, key);
        report.at(at, line);
        const value = shape.read(each, at, report);
        return value === undefined ? [] : [[key, value] as const];
      });
    },
  };
}

/** A map with these keys and no others. */
export function mapping<const F extends Fields>(fields: F, rule: string): Shape<Values<F>> {
  return {
    rule,
    schema: mappingSchema(fields),
    read(node, path, report) {
      if (node.kind !== "map") {
        report.issue(path, "range", `must be ${rule}, got ${show(plainValue(node))}`);
        return undefined;
      }
      const values: Record<string, unknown> = {};
      for (const { key, node: each, line } of node.entries) {
        const at = keyPath(path, key);
        report.at(at, line);
        if (!Object.hasOwn(fields, key)) addUnknown(at, key, Object.keys(fields), report);
        else if (fields[key].required || !isEmpty(each))
          values[key] = fields[key].shape.read(each, at, report);
      }
      const given = new Set(node.entries.map(({ key }) => key));
      for (const [key, { required: isRequired, shape }] of Object.entries(fields)) {
        if (!isRequired || given.has(key)) continue;
        report.issue(keyPath(path, key), "missing", `must be given: ${shape.rule}`);
      }
      return values as Values<F>;
    },
  };
}

/** A key without a value, such as a map whose lines are all commented out. */
function isEmpty(node: Node): boolean {
  return node.kind === "scalar" && node.value === null && node.text === "";
}

function mappingSchema(fields: Fields): JsonSchema {
  const entries = Object.entries(fields);
  const needed = entries.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { shape, help, byDefault }]) => [
        name,
        {
          ...shape.schema,
          description: byDefault === undefined ? `${help}.` : `${help}. Default: ${byDefault}.`,
        },
      ]),
    ),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

/** One of several forms, chosen by the form of the node: a scalar, a list or a map. */
export function byForm<const S extends Partial<Readonly<Record<Node["kind"], Shape<unknown>>>>>(
  shapes: S,
  rule: string,
): Shape<{ [K in keyof S]: ValueOf<S[K]> }[keyof S]> {
  return {
    rule,
    schema: {
      anyOf: Object.values<Shape<unknown>>(shapes as Readonly<Record<string, Shape<unknown>>>).map(
        ({ schema }) => schema,
      ),
    },
    read(node, path, report) {
      const shape: Shape<unknown> | undefined = shapes[node.kind];
      if (shape)
        return shape.read(node, path, report) as { [K in keyof S]: ValueOf<S[K]> }[keyof S] | undefined;
      report.issue(path, "range", `must be ${rule}, got ${show(plainValue(node))}`);
      return undefined;
    },
  };
}

/** A map of one of several kinds, each known by a key that only it has. The value has the name of the kind. */
export function byKey<const V extends Readonly<Record<string, Fields>>>(
  variants: V,
  rule: string,
): Shape<{ [K in keyof V]: { readonly kind: K } & Values<V[K]> }[keyof V]> {
  const shapes = Object.entries(variants).map(([kind, fields]) => ({ kind, shape: mapping(fields, rule) }));
  return {
    rule,
    schema: { anyOf: shapes.map(({ shape }) => shape.schema) },
    read(node, path, report) {
      const keys = node.kind === "map" ? node.entries.map(({ key }) => key) : [];
      const given = shapes.filter(({ kind }) => keys.includes(kind));
      if (given.length !== 1) {
        const got = given.length === 0 ? show(plainValue(node)) : given.map(({ kind }) => kind).join(" and ");
        report.issue(path, "range", `must be ${rule}, got ${got}`);
        return undefined;
      }
      const [{ kind, shape }] = given;
      const values = shape.read(node, path, report);
      return (
        values &&
        ({ ...values, kind } as unknown as { [K in keyof V]: { readonly kind: K } & Values<V[K]> }[keyof V])
      );
    },
  };
}

/** A shape with a further check of a value that is right by itself. */
export function checked<T>(shape: Shape<T>, problem: (value: T) => string | null): Shape<T> {
  return {
    ...shape,
    read(node, path, report) {
      const value = shape.read(node, path, report);
      const message = value === undefined ? null : problem(value);
      if (message === null) return value;
      report.issue(path, "range", message);
      return undefined;
    },
  };
}

function addUnknown(path: string, key: string, known: readonly string[], report: Report): void {
  const meant = report.isFull ? undefined : nearest(key, known);
  const issue: Omit<Issue, "path"> = {
    code: "unknown",
    message: `there is no such key${meant === undefined ? `; the keys are ${known.join(", ")}` : `; did you mean \`${meant}\`?`}`,
  };
  report.issue(path, issue.code, issue.message);
}
