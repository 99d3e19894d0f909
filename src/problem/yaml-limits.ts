// Refuses what a problem file does not need and a hostile one would use: tags, directives, several documents and deep
// nesting. Only the tokens are looked at, because the parser itself needs minutes and gigabytes for deep nesting.

import { CST, Lexer } from "yaml";
import { type Issue, shorten } from "../issues.ts";

/** Levels of brackets and braces. The deepest value of a problem file has six levels. */
const DEEPEST = 30;

/** Columns of indentation, which limit the levels of nesting by indentation. */
const MOST_INDENTATION = 200;

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
  let depth = 0;
  let aliases = 0;
  let hasValue = false;
  const refuse = (message: string): Issue[] => [
    { path: "", code: "syntax", message: `line ${line}: ${message}` },
  ];
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
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
        if (++depth > DEEPEST) return refuse(`there must be at most ${DEEPEST} levels of brackets, got more`);
        break;
      case "flow-map-end":
      case "flow-seq-end":
        if (--depth < 0) return refuse(`a bracket must be opened before it is closed, got ${token}`);
        break;
      case "seq-item-ind":
      case "explicit-key-ind":
      case "space": {
        // Spaces count at the start of a line only: elsewhere they separate a key from its value.
        const isIndentation = type !== "space" || column === 0;
        if (depth === 0 && isIndentation && column + token.length > MOST_INDENTATION) {
          return refuse(`values must be indented by at most ${MOST_INDENTATION} columns, got more`);
        }
        break;
      }
    }
    hasValue ||= type === null || !AROUND_VALUES.has(type);
    const lines = token.split("\n");
    line += lines.length - 1;
    column = lines.length > 1 ? lines[lines.length - 1].length : column + token.length;
  }
  return [];
}
