import { mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import type { Problem } from "./problem.ts";
import { parseProblem, parseProblemText, readProblem } from "./read-problem.ts";

const newFolder = () => mkdtempSync(join(tmpdir(), "gflownet-problem-"));

async function problemOf(text: string): Promise<Problem> {
  return (await parseProblemText(text)).problem;
}

async function notesOf(text: string): Promise<readonly string[]> {
  return (await parseProblemText(text)).notes;
}

/** The issues of a text, each as "path: message". */
async function issuesOf(reading: Promise<unknown>): Promise<string[]> {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return [];
  if (!(error instanceof UserError)) throw error;
  return error.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
}

const DNA = "alphabet: DNA\nlength: 8\n";

describe("a problem file", () => {
  test("may be two lines long", async () => {
    expect(await problemOf("alphabet: DNA\nlength: 12")).toEqual({
      alphabet: { name: "DNA", tokens: ["A", "C", "G", "T"] },
      space: { tokens: ["A", "C", "G", "T"], length: { min: 12, max: 12 } },
      constraints: [],
      noise: { when: "building", letters: { kind: "none" } },
      oracle: null,
      reward: { goal: "maximise" },
      known: [],
      failures: "skip",
      seed: 0,
      training: {},
      folder: process.cwd(),
    });
  });

  test("has the same meaning as JSON and as an object", async () => {
    const draft = {
      alphabet: ["[C]", "[O]", "[Branch1]"],
      length: { min: 2, max: 5 },
      oracle: { program: ["./score", "a b"], workers: 4, timeout: 2.5, version: "v2" },
      constraints: { forbid: ["[O][O]"], homopolymer: 2 },
      noise: { stick: 0.25, mode: "free" },
      reward: { exponent: "auto", effectiveStrings: 64, floor: 1e-3, scale: "quantile", goal: "minimise" },
      known: [{ string: "[C][O]", score: -1.5 }],
      budget: 384,
      failures: "stop",
      seed: 7,
      training: { batch: 64, hidden: [32], epsilon: { from: 0.5, to: 0 } },
    };
    const { problem } = await parseProblem(draft);
    expect(problem).toEqual({
      alphabet: { name: null, tokens: ["[C]", "[O]", "[Branch1]"] },
      space: { tokens: ["[C]", "[O]", "[Branch1]"], length: { min: 2, max: 5 } },
      constraints: [
        { kind: "forbid", motif: [1, 1], name: "forbid [O][O]" },
        { kind: "homopolymer", longest: 2, name: "homopolymer 2" },
      ],
      noise: { when: "building", letters: { kind: "stick", stick: 0.25, mode: "free" } },
      oracle: {
        kind: "program",
        command: ["./score", "a b"],
        protocol: "lines",
        workers: 4,
        timeout: 2.5,
        version: "v2",
      },
      reward: { exponent: "auto", effectiveStrings: 64, floor: 1e-3, scale: "quantile", goal: "minimise" },
      known: [{ string: "[C][O]", tokens: [0, 1], score: -1.5, legal: true }],
      budget: 384,
      failures: "stop",
      seed: 7,
      training: { batch: 64, hidden: [32], epsilon: { from: 0.5, to: 0 } },
      folder: process.cwd(),
    });
    const json = await parseProblemText(JSON.stringify(draft, null, "\t"), { source: "problem.json" });
    expect(json.problem).toEqual(problem);
  });

  test("must be a regular file of at most 1 MB", async () => {
    const file = join(newFolder(), "problem.yaml");
    writeFileSync(file, "alphabet: DNA\n");
    truncateSync(file, 100 * 2 ** 20); // a sparse file, which takes no space on the disk
    expect(await issuesOf(readProblem(file))).toEqual([
      "at most 1048576 bytes can be read, got 104857600; check the path",
    ]);
    await expect(readProblem("/dev/zero")).rejects.toThrow("not a regular file");
  });

  test.each(["", "- DNA", "DNA", "null"])("must be a map, not %j", async (text) => {
    expect(await issuesOf(parseProblemText(text))).toEqual([
      expect.stringMatching(/^must be a map with the keys alphabet/),
    ]);
  });

  test("reports all mistakes at once, with their lines", async () => {
    const text = `alphabet: ACGA
length: 0
oracel: python3 score.py
constraints:
  forbid:
    - GATC
    - []
  homoplymer: 3
noise: { stick: 1, when: never }
budget: many
`;
    const error = await parseProblemText(text, { source: "problem.yaml" }).catch((reason: unknown) => reason);
    expect((error as Error).message).toBe(
      `problem.yaml has 8 problems:
  alphabet: must have each token once, got "A" twice (line 1)
  length: must be a whole number from 1 to 10000, or { min, max }, got 0 (line 2)
  oracel: there is no such key; did you mean \`oracle\`? (line 3)
  constraints.forbid[1]: must be a string over the alphabet, got [] (line 7)
  constraints.homoplymer: there is no such key; did you mean \`homopolymer\`? (line 8)
  noise.stick: must be a number in [0, 1), got 1 (line 9)
  noise.when: must be one of building, after, got "never" (line 9)
  budget: must be a whole number from 1 to 1000000000, got "many" (line 10)`.replace(
        "9 problems",
        "8 problems",
      ),
    );
  });

  test("with very many mistakes lists the first twenty", async () => {
    const text = `${DNA}constraints:\n  forbid:\n${"    - X\n".repeat(500)}`;
    const issues = await issuesOf(parseProblemText(text));
    expect(issues).toHaveLength(21);
    expect(issues[20]).toBe("there are 480 more");
  });

  test("may have optional keys without a value, whose lines are commented out", async () => {
    const text = "alphabet: DNA\nlength: 8\noracle:\nconstraints:\n  # homopolymer: 3\nknown:\n";
    expect(await problemOf(text)).toEqual(await problemOf(DNA));
  });

  test.each(["alphabet:\nlength: 8", "alphabet: DNA\nlength:\n"])("%j lacks a value", async (text) => {
    expect(await issuesOf(parseProblemText(text))).toEqual([
      expect.stringMatching(/^(alphabet|length): must be/),
    ]);
  });

  test("lacks a required key", async () => {
    expect(await issuesOf(parseProblemText("length: 8"))).toEqual([
      'alphabet: must be given: DNA, RNA, protein, letters such as "ACGT", or a list of tokens',
    ]);
  });
});

describe("strings stay strings:", () => {
  test.each([
    ["protein", "NAN", "NAN"],
    ["protein", "N", "N"],
    ["01", "0110", "0110"],
    ["[e, '0', '1', '5']", "1e5", "1e5"],
    ["nof", "no", "no"],
    ["nof", "on", "on"],
    ["[n, u, l]", "null", "null"],
    ["[T, R, U, E]", "TRUE", "TRUE"],
    ['"~x"', "~", "~"],
  ])("over the alphabet %s, %s without quotes is %j", async (alphabet, written, string) => {
    const { alphabet: read, known } = await problemOf(
      `alphabet: ${alphabet}\nlength: { min: 1, max: 8 }\nknown:\n  - { string: ${written}, score: 1 }`,
    );
    expect(known[0].string).toBe(string);
    expect(known[0].tokens.map((token) => read.tokens[token]).join("")).toBe(string);
  });

  test("an alphabet may look like a number or a boolean", async () => {
    expect((await problemOf("alphabet: 01\nlength: 3")).space.tokens).toEqual(["0", "1"]);
    expect((await problemOf("alphabet: true\nlength: 3")).space.tokens).toEqual(["t", "r", "u", "e"]);
    expect((await problemOf("alphabet: [no, 0x1, 2.50]\nlength: 3")).space.tokens).toEqual([
      "no",
      "0x1",
      "2.50",
    ]);
  });

  test("a number of a program is no string", async () => {
    const reading = parseProblem({ alphabet: "01", length: 4, constraints: { forbid: [110] } });
    expect(await issuesOf(reading)).toEqual([
      "constraints.forbid[0]: must be a string over the alphabet, got 110",
    ]);
  });
});

describe("alphabets", () => {
  test.each([
    ["dna", "ACGT"],
    ["Rna", "ACGU"],
    ["PROTEIN", "ACDEFGHIKLMNPQRSTVWY"],
    ["acgt", "acgt"],
  ])("%s has the letters %s", async (alphabet, letters) => {
    expect((await problemOf(`alphabet: ${alphabet}\nlength: 3`)).space.tokens.join("")).toBe(letters);
  });

  test.each([
    ["A", /^alphabet: must be at least two letters, or DNA, RNA or protein, got "A"/],
    ["ACGA", /^alphabet: must have each token once, got "A" twice/],
    ["[A, C, A]", /^alphabet: must have each token once, got "A" twice/],
    ['"A C"', /^alphabet: must be tokens of visible characters without spaces, got " "/],
    ['["A\\n", B]', /^alphabet: must be tokens of visible characters/],
    ["[A, '']", /^alphabet\[1\]: must be a token, got ""/],
    ["[A]", /^alphabet: must be a list of tokens, got \["A"\]/],
    ["{ A: 1 }", /^alphabet: must be DNA, RNA, protein, letters/],
    ["[A, B, AB]", /^alphabet: must be tokens whose strings can be read in one way only, got "AB" with two/],
    [`[A, ${"x".repeat(33)}]`, /^alphabet: must be tokens of at most 32 characters/],
  ])("%s is refused", async (alphabet, message) => {
    const issues = await issuesOf(parseProblemText(`alphabet: ${alphabet}\nlength: 3`));
    expect(issues).toEqual([expect.stringMatching(message)]);
  });

  test("lower case and U for T are read, with a note", async () => {
    const text = `${DNA}constraints:\n  forbid: [gauc, GATC]`;
    expect((await problemOf(text)).constraints.map((each) => each.kind === "forbid" && each.motif)).toEqual([
      [2, 0, 3, 1],
      [2, 0, 3, 1],
    ]);
    expect(await notesOf(text)).toEqual(['constraints.forbid[0]: "gauc" is read as "GATC" (line 4)']);
    expect(await notesOf("alphabet: RNA\nlength: 4\nconstraints: { require: [TT] }")).toEqual([
      'constraints.require[0]: "TT" is read as "UU" (line 3)',
    ]);
  });

  test("of the user's own tell upper from lower case", async () => {
    expect(
      await issuesOf(parseProblemText("alphabet: ABC\nlength: 4\nconstraints: { forbid: [ab] }")),
    ).toEqual([
      'constraints.forbid[0]: must consist of tokens of the alphabet: "ab" has "a" at position 1, where a token must start; the tokens are ABC; upper and lower case differ in an alphabet of your own (line 3)',
    ]);
  });
});

test.each([
  ["{ min: 8 }", "length.max: must be given: a whole number from 1 to 10000 (line 2)"],
  ["{ min: 8, max: 4 }", "length: must be a min of at most max, got min 8 and max 4 (line 2)"],
  ["8.5", "length: must be a whole number from 1 to 10000, or { min, max }, got 8.5 (line 2)"],
  ['"8"', 'length: must be a whole number from 1 to 10000, or { min, max }, got "8" (line 2)'],
  ["[8]", "length: must be a whole number from 1 to 10000, or { min, max }, got [8] (line 2)"],
])("the length %s is refused", async (length, message) => {
  expect(await issuesOf(parseProblemText(`alphabet: DNA\nlength: ${length}`))).toEqual([message]);
});

describe("the reward and the training", () => {
  test.each([
    [
      "reward: { exponent: 2, effectiveStrings: 9 }",
      /^reward.effectiveStrings: belongs to `exponent` auto, and it is 2/,
    ],
    [
      "reward: { exponent: fast }",
      /^reward.exponent: must be auto, or a number in \(0, 1000000\], got "fast"/,
    ],
    ["reward: { floor: 0 }", /^reward.floor: must be a number in \(0, 1\], got 0/],
    ["training: { bach: 64 }", /^training.bach: there is no such key; did you mean `batch`\?/],
    [
      "training: { localSearchShare: 2 }",
      /^training.localSearchShare: must be a number in \[0, 1\], or a schedule/,
    ],
    ["training: { batch: 0 }", /^training.batch: must be a whole number from 1 to 2\^31 - 1, got 0/],
    ["training: { rewardExponent: 2 }", /^training.rewardExponent: there is no such key/],
    ["failures: ignore", /^failures: must be one of skip, floor, stop, got "ignore"/],
  ])("%s is refused", async (line, message) => {
    expect(await issuesOf(parseProblemText(`${DNA}${line}`))).toEqual([expect.stringMatching(message)]);
  });
});

describe("oracles", () => {
  const oracleOf = async (value: string) => (await problemOf(`${DNA}oracle: ${value}`)).oracle;

  test.each([
    ["python3 score.py", { kind: "program", command: ["python3", "score.py"], protocol: "lines" }],
    [
      "{ program: \"./a 'b c'\", protocol: json }",
      { kind: "program", command: ["./a", "b c"], protocol: "json" },
    ],
    ["{ module: ./score.mjs }", { kind: "module", file: join(process.cwd(), "score.mjs") }],
    [
      "{ table: package.json, score: y }",
      { kind: "table", file: join(process.cwd(), "package.json"), score: "y" },
    ],
    ["{ url: 'http://LOCALHOST:80/a', rate: 5 }", { kind: "http", url: "http://localhost/a", rate: 5 }],
    ["{ landscape: nk, k: 2 }", { kind: "landscape", landscape: { family: "nk", k: 2, seed: 0 } }],
    [
      "{ landscape: ehrlich, motifs: 2, motifLength: 4, seed: 3 }",
      { kind: "landscape", landscape: { family: "ehrlich", motifs: 2, motifLength: 4, seed: 3 } },
    ],
    [
      "{ landscape: ehrlich, file: package.json, instance: 1 }",
      {
        kind: "landscape",
        landscape: { family: "ehrlich", file: join(process.cwd(), "package.json"), instance: 1 },
      },
    ],
  ])("%s", async (value, oracle) => {
    expect(await oracleOf(value)).toEqual(oracle);
  });

  test.each([
    ["[]", /^oracle: must be a program with its arguments, or a map with one of program, module/],
    ["null", /^oracle: must be a program .* got null/],
    ["{ program: ~ }", /^oracle.program: must be a program with its arguments, got null/],
    ["{ workers: 4 }", /^oracle: must be a program .* got {"workers":4}/],
    ["{ program: a, url: b }", /^oracle: must be a program .* got program and url/],
    ['"python3 \'score.py"', /^oracle: the command .* has a quote/],
    ["python3 score.py | head", /^oracle: the command .* is not run by a shell/],
    ["{ program: a, wokers: 4 }", /^oracle.wokers: there is no such key; did you mean `workers`\?/],
    ["{ url: ftp://a }", /^oracle.url: must be an address that begins with http/],
    ["{ url: 'http://me:secret@host' }", /^oracle.url: must have no user name and no password/],
    [
      "{ table: none.csv }",
      /^oracle.table: must be a file that can be read, got .*none.csv: it does not exist/,
    ],
    ["{ table: ../none.csv }", /^oracle.table: must be a file in the folder of the problem file/],
    ["{ landscape: nk }", /^oracle.k: must be given for the landscape nk/],
    [
      "{ landscape: nk, k: 1, motifs: 2 }",
      /^oracle.motifs: does not belong to the landscape nk, which has k, seed/,
    ],
    ["{ landscape: ehrlich, file: package.json, seed: 1 }", /^oracle.seed: excludes `file`/],
    ["{ landscape: ehrlich, motifs: 2, motifLength: 2, instance: 1 }", /^oracle.instance: needs `file`/],
  ])("%s is refused", async (value, message) => {
    expect(await issuesOf(parseProblemText(`${DNA}oracle: ${value}`))).toEqual([
      expect.stringMatching(message),
    ]);
  });
});

describe("files outside the folder", () => {
  test("are refused unless they are given, also behind a symbolic link", async () => {
    const [folder, other] = [newFolder(), newFolder()];
    const secret = join(other, "secret.csv");
    writeFileSync(secret, "string,score\nACGTACGT,1\n");
    symlinkSync(secret, join(folder, "link.csv"));
    const file = join(folder, "problem.yaml");
    for (const name of [secret, "link.csv", join("..", other.split("/").at(-1) ?? "", "secret.csv")]) {
      for (const line of [
        `oracle: { table: ${name} }`,
        `known: { file: ${name} }`,
        `oracle: { landscape: ehrlich, file: ${name} }`,
      ]) {
        writeFileSync(file, `${DNA}${line}\n`);
        expect(await issuesOf(readProblem(file))).toEqual([
          expect.stringMatching(
            /: must be a file in the folder of the problem file, or one that is given on the command line, got /,
          ),
        ]);
        expect((await readProblem(file, { files: [secret] })).problem.space.length.max).toBe(8);
      }
    }
  });

  test("are not asked whether they exist", async () => {
    expect(await issuesOf(parseProblemText(`${DNA}known: { file: /no/such/file.csv }`))).toEqual([
      "known.file: must be a file in the folder of the problem file, or one that is given on the command line, got /no/such/file.csv (line 3)",
    ]);
  });

  test("do not make the folder itself a file", async () => {
    expect(await issuesOf(parseProblemText(`${DNA}oracle: { table: . }`))).toEqual([
      expect.stringMatching(/^oracle.table: must be a file in the folder/),
    ]);
  });
});
