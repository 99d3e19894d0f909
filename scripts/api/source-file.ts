// Parsed source files: their syntax trees, and the doc comment before a node.

import { readFileSync } from "node:fs";
import { parseSync } from "vite";

/** A node of the syntax tree, in the ESTree form with TypeScript nodes. Only the members in use are declared. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the members depend on the type of the node.
  readonly [member: string]: any;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly body: readonly SyntaxNode[];
  readonly comments: readonly SyntaxNode[];
}

const parsed = new Map<string, SourceFile>();

/** Reads and parses a file. Every file is parsed once. */
export function sourceFile(path: string): SourceFile {
  let file = parsed.get(path);
  if (!file) {
    file = parseSource(path, readFileSync(path, "utf8"));
    parsed.set(path, file);
  }
  return file;
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  return {
    path,
    text,
    body: program.body as unknown as SyntaxNode[],
    comments: comments as unknown as SyntaxNode[],
  };
}

/** The text of a node without the indentation of its first line. */
export function textOf({ text }: SourceFile, { start, end }: Pick<SyntaxNode, "start" | "end">): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const indent = /^ */.exec(text.slice(lineStart, start))?.[0] ?? "";
  return text.slice(start, end).replaceAll(`\n${indent}`, "\n");
}

/** A doc comment: its text, and the programs of its `@example` tags. */
export interface DocComment {
  /** The whole comment as it stands in the source. */
  readonly source: string;
  /** The text before the first tag. */
  readonly text: string;
  readonly examples: readonly string[];
}

/** The doc comment directly before a node; null if there is none. */
export function docBefore(file: SourceFile, { start }: SyntaxNode): DocComment | null {
  const comment = file.comments.findLast(({ end }) => end <= start);
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return null;
  if (file.text.slice(comment.end, start).trim() !== "") return null;
  return { source: textOf(file, comment), ...docContent(comment.value.slice(1)) };
}

function docContent(comment: string): Omit<DocComment, "source"> {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  const [text, ...tags] = lines.join("\n").split(/^@/m);
  const examples = tags
    .filter((tag) => tag.startsWith("example"))
    .map((tag) => /```ts\n([\s\S]*?)```/.exec(tag)?.[1])
    .filter((code) => code !== undefined);
  return { text: text.trim(), examples };
}

/** Headings of a file that lists exports: a line comment with an empty line after it starts a group. */
export function groupAt({ text, comments }: SourceFile, { start }: SyntaxNode): string | null {
  const heading = comments.findLast(
    ({ type, start: at, end }) =>
      type === "Line" &&
      at > 0 &&
      end <= start &&
      /^\n\n/.test(text.slice(end)) &&
      /\n\n$/.test(text.slice(0, at)),
  );
  return heading ? heading.value.trim() : null;
}
