// Reads the text of a problem file, YAML 1.2 or JSON, into a tree of nodes that know their line and, for plain values,
// the text they were written as.

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  type Node as YamlNode,
} from "yaml";
import { type Issue, shorten, show } from "../issues.ts";
import { syntaxIssues } from "./yaml-limits.ts";

/** A value of a problem file. */
export type Node =
  | {
      readonly kind: "scalar";
      readonly value: string | number | boolean | null;
      /** What was written, without quotes; null if a number or boolean comes from a program and not from a file. */
      readonly text: string | null;
      readonly line?: number;
    }
  | { readonly kind: "list"; readonly items: readonly Node[]; readonly line?: number }
  | { readonly kind: "map"; readonly entries: readonly Entry[]; readonly line?: number };

/** A key of a map with its value. */
export interface Entry {
  readonly key: string;
  readonly node: Node;
  readonly line?: number;
}

/** Values that aliases such as `*name` may repeat in one file. A file of a few bytes could otherwise fill the memory. */
const MOST_REPEATED = 10_000;

/** Syntax errors that are reported at once. One mistake often leads to several. */
const MOST_SYNTAX_ERRORS = 3;

export type ParsedDocument = { readonly root: Node } | { readonly issues: readonly Issue[] };

/** Parses the text of a file. `json`: whether it must be JSON, of which YAML is a superset. */
export function parseText(text: string, json: boolean): ParsedDocument {
  const source = text.replace(/^\uFEFF/, "");
  if (json) {
    const problem = jsonProblem(source);
    if (problem !== null) return { issues: [syntaxIssue(`it is not JSON: ${problem}`)] };
  }
  const refused = syntaxIssues(source);
  if (refused.length > 0) return { issues: refused };
  const counter = new LineCounter();
  const { contents, errors } = composeText(source, counter);
  if (errors.length > 0) {
    return {
      issues: errors.map(({ message, offset }) =>
        syntaxIssue(`line ${counter.linePos(offset).line}: it is not YAML: ${message.split("\n")[0]}`),
      ),
    };
  }
  return treeOf(contents, counter);
}

interface SyntaxError {
  readonly message: string;
  readonly offset: number;
}

/** The value of the only document, or the first syntax errors. As `parseDocument` of the package, which goes on to the last
 * error: 10 s for a file of brackets. */
function composeText(
  source: string,
  counter: LineCounter,
): { readonly contents: YamlNode | null; readonly errors: readonly SyntaxError[] } {
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    merge: false,
    logLevel: "silent",
    // `treeOf` finds repeated keys: the parser would compare each key with every other one.
    uniqueKeys: false,
  });
  const errors: SyntaxError[] = [];
  const add = (error: SyntaxError) => {
    errors.push(error);
    if (errors.length >= MOST_SYNTAX_ERRORS) throw new EnoughErrors();
  };
  /** Errors of the parser are tokens. */
  function* withoutErrors(tokens: Iterable<CST.Token>): Generator<CST.Token> {
    for (const token of tokens) {
      if (token.type !== "error") yield token;
      else add({ message: `${token.message}: ${show(token.source)}`, offset: token.offset });
    }
  }
  // The package has no public way to be told of an error at once.
  (composer as unknown as { onError: OnError }).onError = (place, _code, message, warning) => {
    if (warning) return;
    const offset = typeof place === "number" ? place : "offset" in place ? place.offset : place[0];
    add({ message, offset });
  };
  try {
    const tokens = new Parser(counter.addNewLine).parse(source);
    const [document] = composer.compose(
      withoutErrors(tokens),
      true,
      source.length,
    ) as Iterable<Document.Parsed>;
    return { contents: document.contents, errors };
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error;
    // The package may catch the error once and report it as one more.
    return { contents: null, errors: errors.slice(0, MOST_SYNTAX_ERRORS) };
  }
}

/** How a composer of the package reports an error. */
type OnError = (
  place: number | readonly [number, number] | { readonly offset: number },
  code: string,
  message: string,
  warning?: boolean,
) => void;

class EnoughErrors extends Error {
  override readonly name = "EnoughErrors";
}

/** The tree of a value from a program, which has no lines. */
export function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return { kind: "list", items: value.map(nodeOf) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    return { kind: "map", entries: entries.map(([key, each]) => ({ key, node: nodeOf(each) })) };
  }
  if (typeof value === "string") return { kind: "scalar", value, text: value };
  const isPlain = typeof value === "number" || typeof value === "boolean" || value === null;
  return { kind: "scalar", value: isPlain ? value : String(value), text: null };
}

/** The value of a node as JavaScript has it. */
export function plainValue(node: Node): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plainValue);
    case "map":
      // `fromEntries` defines properties, so that the key `__proto__` is one like any other.
      return Object.fromEntries(node.entries.map(({ key, node: value }) => [key, plainValue(value)]));
    default:
      return node satisfies never;
  }
}

function syntaxIssue(message: string): Issue {
  return { path: "", code: "syntax", message };
}

function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message.split("\n")[0];
  }
}

/** Resolves aliases, and refuses repeated keys and keys that are not plain values. */
function treeOf(contents: YamlNode | null, counter: LineCounter): ParsedDocument {
  const issues: Issue[] = [];
  const anchors = new Map<string, YamlNode>();
  let repeated = 0;
  let aliases = 0;

  const lineOf = (node: YamlNode) => (node.range ? counter.linePos(node.range[0]).line : undefined);

  function convert(node: YamlNode | null): Node {
    if (node === null) return { kind: "scalar", value: null, text: "" };
    if (aliases > 0 && ++repeated > MOST_REPEATED) throw new TooManyAliases();
    const line = lineOf(node);
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) {
        issues.push(
          syntaxIssue(
            `line ${line}: the alias *${shorten(node.source)} must name a value that ends before it`,
          ),
        );
        return { kind: "scalar", value: null, text: "" };
      }
      aliases++;
      const value = convert(target);
      aliases--;
      return value;
    }
    const value = convertValue(node, line);
    // Only now: a value that repeats itself by an alias would have no end.
    if ("anchor" in node && typeof node.anchor === "string") anchors.set(node.anchor, node);
    return value;
  }

  function convertValue(node: YamlNode, line: number | undefined): Node {
    if (isScalar(node)) {
      const { value, source } = node;
      const isPlain = ["string", "number", "boolean"].includes(typeof value) || value === null;
      return {
        kind: "scalar",
        value: isPlain ? (value as string | number | boolean | null) : String(value),
        text: source ?? String(value ?? ""),
        line,
      };
    }
    if (isSeq(node))
      return { kind: "list", items: node.items.map((item) => convert(item as YamlNode)), line };
    if (!isMap(node)) throw new TypeError("a node is a scalar, a list, a map or an alias");
    const seen = new Set<string>();
    const entries = node.items.flatMap((pair): Entry[] => {
      const keyNode = convert(pair.key as YamlNode | null);
      const keyLine = pair.key ? lineOf(pair.key as YamlNode) : line;
      if (keyNode.kind !== "scalar") {
        issues.push(syntaxIssue(`line ${keyLine}: a key must be a word, got a ${keyNode.kind}`));
        return [];
      }
      const key = keyNode.text ?? "";
      if (seen.has(key)) {
        issues.push(syntaxIssue(`line ${keyLine}: a key must occur once, got "${shorten(key)}" twice`));
        return [];
      }
      seen.add(key);
      return [{ key, node: convert(pair.value as YamlNode | null), line: keyLine }];
    });
    return { kind: "map", entries, line };
  }

  try {
    const root = convert(contents);
    return issues.length > 0 ? { issues: issues.slice(0, MOST_SYNTAX_ERRORS) } : { root };
  } catch (error) {
    if (!(error instanceof TooManyAliases)) throw error;
    const message = `at most ${MOST_REPEATED} values may be repeated by aliases (*name), got more; write them out`;
    return { issues: [syntaxIssue(message)] };
  }
}

class TooManyAliases extends Error {
  override readonly name = "TooManyAliases";
}
