// The questions of `gflownet init` in a terminal. A wrong answer is explained and asked again.

import { numberFrom } from "../../formats/decimal.ts";
import { UserError } from "../../issues.ts";
import { parseProblem } from "../../problem/read-problem.ts";
import type { ProblemDraft } from "../../problem/write-problem.ts";

/** Asks one question and returns the answer. */
export type Ask = (question: string) => Promise<string>;

export interface Terminal {
  readonly ask: Ask;
  readonly say: (text: string) => void;
  /** The folder of the problem file. */
  readonly folder: string;
}

interface Question {
  readonly key: keyof ProblemDraft;
  readonly text: string;
  /** The answer of an empty line; "" leaves the key out. */
  readonly byDefault?: string;
  /** The key with its value. */
  readonly read: (answer: string) => ProblemDraft;
}

const QUESTIONS: readonly Question[] = [
  {
    key: "alphabet",
    text: "Alphabet: DNA, RNA, protein, or letters such as ACGT",
    byDefault: "DNA",
    read: (alphabet) => ({ alphabet }),
  },
  { key: "length", text: "Length of a string, such as 12 or 8-12", read: withLength },
  {
    key: "oracle",
    text: "What scores the strings: a program such as python3 score.py, an address, a table such as scores.csv",
    byDefault: "",
    read: (answer) => ({ oracle: oracleOf(answer) }),
  },
  {
    key: "constraints",
    text: "Motifs that must not occur, such as GGTCTC,AAAA",
    byDefault: "",
    read: (answer) => ({ constraints: { forbid: answer.split(",").map((motif) => motif.trim()) } }),
  },
  {
    key: "noise",
    text: "Probability that a letter is replaced by a random one, such as 0.05",
    byDefault: "",
    read: (answer) => ({ noise: { stick: numberFrom(answer) ?? answer } }),
  },
];

/** The draft with the keys that it lacks. */
export async function askForProblem(
  draft: ProblemDraft,
  { ask, say, folder }: Terminal,
): Promise<ProblemDraft> {
  let problem = draft;
  for (const { key, text, byDefault, read } of QUESTIONS) {
    while (problem[key] === undefined) {
      const hint = byDefault === undefined ? "" : ` [${byDefault || "none"}]`;
      const answer = (await ask(`${text}${hint}: `)).trim() || byDefault;
      if (answer === "") break;
      if (answer === undefined) continue;
      const next = { ...problem, ...read(answer) };
      const mistakes = await mistakesIn(next, key, folder);
      for (const mistake of mistakes) say(mistake);
      if (mistakes.length === 0) problem = next;
    }
  }
  return problem;
}

/** What is wrong with one key. Keys that have not been asked for yet are missing, which is no mistake of this one. */
async function mistakesIn(draft: ProblemDraft, key: string, folder: string): Promise<string[]> {
  try {
    await parseProblem(draft, { folder });
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.issues.filter(({ path }) => path.startsWith(key)).map(({ message }) => message);
  }
}

/** `12`, or `8-12` for a variable length. */
export function withLength(text: string | undefined): ProblemDraft {
  if (text === undefined) return {};
  const range = /^(\d+)-(\d+)$/.exec(text.trim());
  if (range) return { length: { min: Number(range[1]), max: Number(range[2]) } };
  return { length: /^\d+$/.test(text.trim()) ? Number(text) : text };
}

/** A program, unless the answer looks like an address, a table or a module. */
function oracleOf(answer: string): unknown {
  if (/^https?:\/\//.test(answer)) return { url: answer };
  if (/^\S+\.(csv|tsv|json|parquet)(\.gz)?$/i.test(answer)) return { table: answer };
  return /^\S+\.m?js$/i.test(answer) ? { module: answer } : answer;
}
