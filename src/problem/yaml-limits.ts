// Refuses what a problem file does not need and a hostile one would use: tags, directives, several documents, deep nesting
// and very many words. Only the tokens are looked at, because the parser itself needs minutes and gigabytes for deep nesting.

import { CST, Lexer } from "yaml";
import { type Issue, shorten } from "../issues.ts";

/** Levels of brackets and braces. The deepest value of a problem file has six levels. */
const DEEPEST = 30;

/** Columns of indentation, which limit the levels of nesting by indentation. */
const MOST_INDENTATION = 200;

/** Words, signs, spaces and line ends of a file. 20,000 known strings have less; the parser needs about 3 µs for each. */
const MOST_TOKENS = 500_000;

/** Anchors and aliases in one file. */
const MOST_ALIASES = 1000;

/** Tokens that are not part of a value. */
const AROUND_VALUES = new Set([
  "byte-order-mark",
  "comment",
  "newline",
  "space",
  "doc-mode",
  "flow-error-end",
]);

/** The first thing in a text that is not allowed, as a list of at most one issue. */
export function syntaxIssues(text: string): Issue[] {
  let line = 1;
  let column = 0;
  /** For each open bracket, whether the item that is being read has a colon already. */
  const flow: boolean[] = [];
  /** Colons outside brackets on the current line. */
  let colons = 0;
  let count = 0;
  let aliases = 0;
  let hasValue = false;
  const refuse = (message: string): Issue[] => [
    { path: "", code: "syntax", message: `line ${line}: ${message}` },
  ];
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (++count > MOST_TOKENS) {
      return refuse(
        `the file must have at most ${MOST_TOKENS} words and signs, got more; put long lists of known strings into a table`,
      );
    }
    const type: string | null = isScalar ? "text" : CST.tokenType(token);
    isScalar = type === "scalar";
    // These two announce the token that follows, and are not in the text.
    if (type === "scalar" || type === "doc-mode") continue;
    switch (type) {
      case "tag":
        return refuse(`a value must have no tag, got ${shorten(token)}; put a text in quotes instead`);
      case "directive-line":
        return refuse(`there must be no directive, got ${shorten(token)}; the file is read as YAML 1.2`);
      case "doc-start":
        if (hasValue) return refuse("the file must hold one problem, got another one after ---");
        break;
      case "doc-end":
        return refuse("the file must hold one problem and no end mark, got ...");
      case "anchor":
      case "alias":
        if (++aliases > MOST_ALIASES) {
          return refuse(
            `there must be at most ${MOST_ALIASES} anchors (&name) and aliases (*name), got more`,
          );
        }
        break;
      case "flow-map-start":
      case "flow-seq-start":
        if (flow.push(false) > DEEPEST)
          return refuse(`there must be at most ${DEEPEST} levels of brackets, got more`);
        break;
      case "flow-map-end":
      case "flow-seq-end":
        if (flow.pop() === undefined)
          return refuse(`a bracket must be opened before it is closed, got ${token}`);
        break;
      case "comma":
        if (flow.length > 0) flow[flow.length - 1] = false;
        break;
      case "map-value-ind":
        // The parser would nest a: b: c: … without end.
        if (flow.length === 0 && ++colons <= DEEPEST) break;
        if (flow.length === 0 || flow[flow.length - 1])
          return refuse(
            "a key must have one value, got another colon after it; put a comma or a new line between keys",
          );
        flow[flow.length - 1] = true;
        break;
      case "seq-item-ind":
      case "explicit-key-ind":
      case "space": {
        // Spaces count at the start of a line only: elsewhere they separate a key from its value.
        const isIndentation = type !== "space" || column === 0;
        if (flow.length === 0 && isIndentation && column + token.length > MOST_INDENTATION) {
          return refuse(`values must be indented by at most ${MOST_INDENTATION} columns, got more`);
        }
        break;
      }
    }
    hasValue ||= type === null || !AROUND_VALUES.has(type);
    const lines = token.split("\n");
    line += lines.length - 1;
    if (lines.length > 1) colons = 0;
    column = lines.length > 1 ? lines[lines.length - 1].length : column + token.length;
  }
  return [];
}
