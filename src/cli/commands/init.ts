// `gflownet init`: writes a commented problem file from flags, from a table of strings with scores, or by asking.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, extname, relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { type Issue, UserError } from "../../issues.ts";
import { inferProblem } from "../../problem/infer-problem.ts";
import { parseProblem } from "../../problem/read-problem.ts";
import { formatProblem, type ProblemDraft } from "../../problem/write-problem.ts";
import { checkOutputFile } from "../output-file.ts";
import { shortPath } from "../paths.ts";
import { type Ask, askForProblem, withLength } from "./init-questions.ts";

export interface InitOptions {
  readonly dna?: boolean;
  readonly rna?: boolean;
  readonly protein?: boolean;
  readonly alphabet?: readonly string[];
  readonly length?: string;
  readonly oracle?: string;
  readonly url?: string;
  readonly table?: string;
  readonly landscape?: string;
  readonly template?: string;
  readonly forbid?: readonly string[];
  readonly require?: readonly string[];
  readonly stick?: number;
  readonly minimise?: boolean;
  readonly budget?: number;
  readonly from?: string;
  readonly stringColumn?: string;
  readonly scoreColumn?: string;
  readonly out: string;
  readonly force?: boolean;
}

/** The flag that sets each key of a problem file. */
const FLAGS: readonly (readonly [path: string, flag: keyof InitOptions])[] = [
  ["alphabet", "alphabet"],
  ["length", "length"],
  ["oracle.url", "url"],
  ["oracle.table", "table"],
  ["oracle", "oracle"],
  ["constraints.template", "template"],
  ["constraints.forbid", "forbid"],
  ["constraints.require", "require"],
  ["noise", "stick"],
  ["known", "from"],
  ["budget", "budget"],
];

export async function init(options: InitOptions, issues: readonly Issue[] = []): Promise<void> {
  const out = resolve(options.out);
  await checkOutput(options.out, options.force);
  const draft = await draftOf(options, issues, dirname(out));
  const files = options.table === undefined ? [] : [options.table];
  const { notes } = await checkDraft(draft, { folder: dirname(out), files });
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  const text =
    extname(out).toLowerCase() === ".json"
      ? `${JSON.stringify(draft, null, 2)}\n`
      : formatProblem(draft, schemaPath(dirname(out)));
  if (options.force) await writeFileAtomically(out, text);
  // Fails if another program has written the file in the meantime.
  else await writeFile(out, text, { flag: "wx" });
  process.stdout.write(`${shortPath(out)} written\n`);
}

/** The problem that the flags describe, completed by asking if there is a terminal. */
async function draftOf(
  options: InitOptions,
  issues: readonly Issue[],
  folder: string,
): Promise<ProblemDraft> {
  const alphabets = alphabetsOf(options);
  const scorers = (["oracle", "url", "table", "landscape"] as const).filter(
    (name) => options[name] !== undefined,
  );
  const conflicts = [alphabets.map(({ flag }) => flag), scorers].flatMap(([first, ...others]) =>
    others.map(
      (path): Issue => ({ path, code: "conflict", message: `excludes \`${first}\`; give one of them` }),
    ),
  );
  const all = [...issues, ...conflicts];
  if (all.length > 0) throw new UserError(all);
  const given = withAlphabet(alphabets[0]?.value);
  const known =
    options.from === undefined
      ? {}
      : await inferProblem(options.from, {
          folder,
          ...given,
          ...(options.stringColumn !== undefined && { string: options.stringColumn }),
          ...(options.scoreColumn !== undefined && { score: options.scoreColumn }),
        });
  const draft: ProblemDraft = {
    ...known,
    ...given,
    ...withLength(options.length),
    ...furtherKeys(options, folder),
  };
  if (draft.alphabet !== undefined && draft.length !== undefined) return draft;
  if (process.stdin.isTTY && process.stdout.isTTY) return ask(draft, folder);
  throw new UserError(
    "give --dna, --rna, --protein or --alphabet, and --length, or a table with --from; questions are only asked in a terminal",
  );
}

function alphabetsOf({ dna, rna, protein, alphabet }: InitOptions) {
  return [
    ...(dna ? [{ flag: "dna", value: "DNA" }] : []),
    ...(rna ? [{ flag: "rna", value: "RNA" }] : []),
    ...(protein ? [{ flag: "protein", value: "protein" }] : []),
    ...(alphabet ? [{ flag: "alphabet", value: alphabet.length === 1 ? alphabet[0] : alphabet }] : []),
  ];
}

function withAlphabet(alphabet: string | readonly string[] | undefined): {
  readonly alphabet?: string | readonly string[];
} {
  return alphabet === undefined ? {} : { alphabet };
}

function furtherKeys(options: InitOptions, folder: string): ProblemDraft {
  const { oracle, url, table, landscape, template, forbid, require, stick, minimise, budget } = options;
  const constraints = {
    ...(template !== undefined && { template }),
    ...(forbid !== undefined && { forbid }),
    ...(require !== undefined && { require }),
  };
  return {
    ...(oracle !== undefined && { oracle }),
    ...(url !== undefined && { oracle: { url } }),
    ...(table !== undefined && { oracle: { table: pathFrom(folder, table) } }),
    ...(landscape === "nk" && { oracle: { landscape, k: 2, seed: 0 } }),
    ...(landscape === "ehrlich" && { oracle: { landscape, motifs: 2, motifLength: 4, seed: 0 } }),
    ...(Object.keys(constraints).length > 0 && { constraints }),
    ...(stick !== undefined && { noise: { stick } }),
    ...(minimise && { reward: { goal: "minimise" } }),
    ...(budget !== undefined && { budget }),
  };
}

async function ask(draft: ProblemDraft, folder: string): Promise<ProblemDraft> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const unanswered = (): never => {
    throw new UserError("the questions were not answered, so nothing is written");
  };
  // A question ends with an error at Ctrl-C and Ctrl-D, but would wait forever after the terminal is gone.
  const closed = once(terminal, "close").then(unanswered);
  try {
    const question: Ask = (text) => Promise.race([terminal.question(text).catch(unanswered), closed]);
    return await askForProblem(draft, {
      folder,
      ask: question,
      say: (text) => process.stdout.write(`${text}\n`),
    });
  } finally {
    closed.catch(() => {});
    terminal.close();
  }
}

/** Checks the problem as if it were read from a file, and reports issues by flag. */
async function checkDraft(
  draft: ProblemDraft,
  place: { readonly folder: string; readonly files: readonly string[] },
) {
  try {
    return await parseProblem(draft, place);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      error.issues.map((issue) => {
        const flag = FLAGS.find(([path]) => issue.path.startsWith(path))?.[1];
        return flag === undefined ? issue : { ...issue, path: flag };
      }),
      { cause: error },
    );
  }
}

/** Only a file is replaced, and only with --force. */
async function checkOutput(file: string, force = false): Promise<void> {
  if (![".yaml", ".yml", ".json"].includes(extname(file).toLowerCase())) {
    throw new UserError([
      {
        path: "out",
        code: "range",
        message: `must be a name that ends in .yaml, .yml or .json, got ${file}`,
      },
    ]);
  }
  await checkOutputFile("--out", file, (isFile) => {
    if (!isFile) throw new UserError(`--out: ${file} exists and is not a file; choose another name`);
    if (!force) throw new UserError(`--out: ${file} exists; choose another name, or replace it with --force`);
  });
}

/** The path of the JSON Schema from the folder of the problem file; null in a package without it. */
function schemaPath(folder: string): string | null {
  const file = fileURLToPath(new URL("../../../schema/problem.schema.json", import.meta.url));
  return existsSync(file) ? pathFrom(folder, file) : null;
}

function pathFrom(folder: string, file: string): string {
  return relative(folder, resolve(file)).replaceAll(sep, "/");
}
