// Draws random sentences from documents, command-line texts and comments, to judge whether a new reader understands
// them.
//
//   npx tsx scripts/draw-sentences.ts SEED [COUNT] [PATH ...]
//
// Prints COUNT sentences (default 50) with file and line. Only files whose path begins with one of PATH are read
// (default: all). The same seed and the same sources give the same sentences. Command-line texts are the string
// literals of at least four words in src: help, messages and labels, but not SQL.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Kind = "document" | "text" | "comment";

interface Piece {
  readonly kind: Kind;
  /** Line of the first character, from 1. */
  readonly line: number;
  readonly text: string;
}

interface Sentence extends Piece {
  readonly file: string;
}

const FOLDERS = ["docs", "src", "bench", "scripts", "examples", "test"];
const SKIPPED = /^bench\/(results|output)\//;
const LEAST_WORDS = 4;

/** All sentences under the folder, in the order of file names and lines. */
export function sentencesIn(root: string, paths: readonly string[] = []): Sentence[] {
  const files = [
    ...readdirSync(root),
    ...FOLDERS.flatMap((folder) =>
      (readdirSync(`${root}/${folder}`, { recursive: true }) as string[]).map((name) => `${folder}/${name}`),
    ),
  ];
  return files
    .filter((file) => /\.(md|ts|mjs)$/.test(file) && !SKIPPED.test(file))
    .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
    .sort()
    .flatMap((file) => {
      const source = readFileSync(`${root}/${file}`, "utf8");
      const pieces = file.endsWith(".md") ? markdownPieces(source) : codePieces(source, isTool(file));
      return pieces.flatMap((piece) => splitSentences(piece)).map((sentence) => ({ ...sentence, file }));
    });
}

/** Whether the string literals of a file are never printed to users. */
function isTool(file: string): boolean {
  return !file.startsWith("src/") || file.endsWith(".test.ts");
}

/** Paragraphs, list items and table cells; no headings, code, formulas or HTML comments. */
export function markdownPieces(source: string): Piece[] {
  const pieces: Piece[] = [];
  let paragraph: { line: number; lines: string[] } | undefined;
  let isSkipping: RegExp | undefined;
  const close = () => {
    if (paragraph) {
      pieces.push({ kind: "document", line: paragraph.line, text: plain(paragraph.lines.join("\n")) });
    }
    paragraph = undefined;
  };
  for (const [i, raw] of source.split("\n").entries()) {
    const line = raw.trim();
    if (isSkipping) {
      if (isSkipping.test(line)) isSkipping = undefined;
      continue;
    }
    const isBlock = line.startsWith("```") || line.startsWith("<!--") || line.startsWith("$$");
    if (
      isBlock ||
      line === "" ||
      line.startsWith("#") ||
      line.startsWith("|") ||
      /^([-*]|\d+\.) /.test(line)
    ) {
      close();
    }
    if (line.startsWith("```")) isSkipping = /^```$/;
    else if (line.startsWith("<!--")) isSkipping = line.includes("-->") ? undefined : /-->/;
    else if (line.startsWith("$$"))
      isSkipping = line.length > 2 && line.includes("$$", 2) ? undefined : /\$\$/;
    else if (line.startsWith("|")) {
      for (const cell of line.split(/(?<!\\)\|/)) {
        pieces.push({ kind: "document", line: i + 1, text: plain(cell.trim()) });
      }
    } else if (line !== "" && !line.startsWith("#")) {
      paragraph ??= { line: i + 1, lines: [] };
      paragraph.lines.push(line.replace(/^([-*]|\d+\.) /, ""));
    }
  }
  close();
  return pieces;
}

/** Replaces Markdown links by their link text, and removes the asterisks of bold text. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("**", "");
}

/** All comments and, unless `isOnlyComments`, all string literals except SQL. Lines of one comment are joined. */
export function codePieces(source: string, isOnlyComments: boolean): Piece[] {
  const pieces: Piece[] = [];
  // A regular expression literal follows an operator, an opening bracket or a keyword, never a value.
  const token =
    /\/\/([^\n]*)|\/\*([\s\S]*?)\*\/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\[\s\S])*)`|(?<=(?:[=(,:;!&|?{}[+\n]|=>|return|^)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//g;
  let last: { end: number; lines: string[]; line: number } | undefined;
  const close = () => {
    if (last) pieces.push(...paragraphs(last.lines, last.line));
    last = undefined;
  };
  let [line, counted] = [1, 0];
  for (const match of source.matchAll(token)) {
    for (; counted < match.index; counted++) if (source[counted] === "\n") line++;
    const [, single, block, double, quoted, template] = match;
    if (single !== undefined) {
      const isAlone = /^[ \t]*$/.test(source.slice(source.lastIndexOf("\n", match.index) + 1, match.index));
      if (!last || !isAlone || line !== last.end + 1) close();
      last ??= { end: line, lines: [], line };
      last.lines.push(single);
      last.end = isAlone ? line : 0;
      continue;
    }
    close();
    if (block !== undefined) {
      pieces.push(
        ...paragraphs(
          block.split("\n").map((text) => text.replace(/^\s*\*/, "")),
          line,
        ),
      );
    } else if (!isOnlyComments) {
      const text = double ?? quoted ?? template;
      if (text && !text.includes("SELECT "))
        pieces.push({ kind: "text", line, text: text.replaceAll("\\n", "\n").replaceAll('\\"', '"') });
    }
  }
  close();
  return pieces;
}

/** Lines of a comment, split where a line is empty; directives of tools are left out. */
function paragraphs(lines: readonly string[], first: number): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let i = 0; i <= lines.length; i++) {
    if (i < lines.length && lines[i].trim() !== "") continue;
    const text = lines
      .slice(from, i)
      .map((part) => part.trim())
      .join("\n");
    if (!/^(biome-ignore|@ts-|@vitest)/.test(text))
      pieces.push({ kind: "comment", line: first + from, text });
    from = i + 1;
  }
  return pieces;
}

/** The sentences of a piece that have at least `leastWords` words, each on one line. */
export function splitSentences({ kind, line, text }: Piece, leastWords = LEAST_WORDS): Piece[] {
  const end = /(?<!\b(?:al|e\.g|i\.e|cf|vs|Fig|Eq))[.!?]["')`*]*(?=\s+["'(`*]*[\p{Lu}\d$`])|\n\n/gu;
  const sentences: Piece[] = [];
  let from = 0;
  for (const at of [...[...text.matchAll(end)].map((match) => match.index + match[0].length), text.length]) {
    const part = text.slice(from, at);
    const start = from + (part.length - part.trimStart().length);
    const sentence = part.replaceAll(/\s+/g, " ").trim();
    const prose = sentence.replaceAll(/\$[^$]+\$|`[^`]+`/g, "");
    const words = prose.split(" ").filter((word) => /\p{L}{2}/u.test(word) && !/[_{}=<>]|\w\(/.test(word));
    if (words.length >= leastWords) {
      sentences.push({ kind, line: line + text.slice(0, start).split("\n").length - 1, text: sentence });
    }
    from = at;
  }
  return sentences;
}

/** Some of the items in random order, the same for the same seed (Fisher and Yates; generator: mulberry32). */
export function draw<T>(items: readonly T[], count: number, seed: number): T[] {
  let state = seed | 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const rest = [...items];
  return Array.from({ length: Math.min(count, items.length) }, () => {
    const at = Math.floor(uniform() * rest.length);
    const item = rest[at];
    rest[at] = rest[rest.length - 1];
    rest.pop();
    return item;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [seed, ...others] = process.argv.slice(2);
  const count = /^\d+$/.test(others[0] ?? "") ? Number(others.shift()) : 50;
  if (!/^\d+$/.test(seed ?? "")) {
    console.error(
      "A seed is needed, a whole number: npx tsx scripts/draw-sentences.ts SEED [COUNT] [PATH ...]",
    );
    process.exit(2);
  }
  for (const { file, line, kind, text } of draw(sentencesIn(process.cwd(), others), count, Number(seed))) {
    console.log(`${file}:${line} (${kind})\n  ${text}\n`);
  }
}
