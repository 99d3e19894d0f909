import { describe, expect, test } from "vitest";
import { defaultSettings } from "../../gfn/training/defaults.ts";
import { train } from "../../gfn/training/train.ts";
import { UserError } from "../../issues.ts";
import { tableTask } from "./index.ts";

const task = (table: string, options: Partial<Parameters<typeof tableTask>[0]> = {}) =>
  tableTask({ stick: 0, table, source: "scores.csv", ...options });

describe("a table of strings with scores", () => {
  test("gives every string its score, in alphabetical order, and the others the score for missing strings", () => {
    const { scores, environment, strings, label, decode } = task("string,score\nBB,4\nAA,1\nAB,2.5\n", {
      missing: 0.5,
    });
    expect([...scores]).toEqual([1, 2.5, 0.5, 4]);
    expect([0, 1, 2, 3].map(decode)).toEqual(["AA", "AB", "BA", "BB"]);
    expect(environment.name).toBe("strings of 2 letters out of AB");
    expect(strings).toEqual({ letters: 2, length: 2 });
    expect(label).toBe("3 of 4 strings have scores from scores.csv, the others 0.5");
  });

  test.each([
    ["CSV without a header", "AB,1\nBA,2\n"],
    ["TSV with Windows line ends and a byte order mark", "\uFEFFseq\tfitness\r\nAB\t1\r\nBA\t2\r\n"],
    ["semicolons and quotes", '"x";"y"\n"AB";"1"\n"BA";"2"'],
    ["white space", "  AB 1\n\n BA   2e0\n"],
    ["columns in another order, and others", "id,score,string\n7,1,AB\n8,2,BA\n"],
    ["unusual names", "variant,ΔG\nAB,1\nBA,2\n"],
  ])("may be %s", (_, table) => {
    const { scores, encode } = task(table);
    expect([scores[encode("AB")], scores[encode("BA")], scores[encode("AA")]]).toEqual([1, 2, 0]);
  });

  test("keeps letters that look like numbers or signs of spreadsheets", () => {
    expect([...task("0110,1\n1001,2\n").scores].filter((score) => score > 0)).toEqual([1, 2]);
    const gaps = task("string,score\n'-A,3\nA-,2\n");
    expect(gaps.environment.alphabet).toBe("-A");
    expect(gaps.scores[gaps.encode("-A")]).toBe(3);
  });

  test("may have strings of several lengths", () => {
    const { scores, environment, decode, encode, distance, strings } = task("A,1\nBAB,3\nAB,2\n", {
      variable: true,
    });
    expect(environment.enumerate().terminals).toBe(15);
    expect([...scores].reduce((a, b) => a + b)).toBe(6);
    const order = ["", "A", "B", "AA", "AB", "BA", "BB", "AAA"];
    expect(order.map(encode)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    for (let terminal = 0; terminal < 15; terminal++) {
      expect(encode(decode(terminal))).toBe(terminal);
      // The environment numbers strings in the same way.
      const letters = [...decode(terminal)].map((letter) => "AB".indexOf(letter));
      expect(environment.sampleTrajectoryTo(terminal, undefined as never)).toEqual(letters);
    }
    expect(distance?.("BAB", "AB")).toBe(1);
    expect(strings).toBeUndefined();
  });

  test("may have more letters and a longer length than its strings", () => {
    const { scores, encode } = task("AC,1\n", { alphabet: "GCA" });
    expect(scores).toHaveLength(9);
    expect(encode("AC")).toBe(7);
    expect(scores[7]).toBe(1);
  });
});

const faults: [string, string, string, object?][] = [
  ["nothing", "", "scores.csv is empty; give a table of strings with scores"],
  ["only a header", "string,score\n", "scores.csv must have a row with a string and its score, got none"],
  [
    "one column",
    "ACGT\n",
    "scores.csv must have two columns, strings and scores, separated by commas, tabs or spaces, got one in line 1",
  ],
  [
    "a repeated string",
    "string,score\nAA,1\n\nAB,2\nAA,3\n",
    'scores.csv, line 5: "AA" is also in line 2; keep one of the two',
  ],
  [
    "a score that is not a number",
    "AA,1\nAB,NaN\n",
    'line 2: the score of "AB" must be a number of at least 0, got "NaN"; remove the line, or give its score',
  ],
  ["no score", "AA,1\nAB,\n", 'line 2: the score of "AB" must be a number of at least 0, got none; remove'],
  ["no second cell", "AA,1\nAB\n", 'line 2: the score of "AB" must be a number of at least 0, got none'],
  [
    "a wrong score in the first line",
    "AA,abc\nAA,2\n",
    'line 1: the score of "AA" must be a number of at least 0',
  ],
  [
    "an infinite score",
    "AA,1\nAB,1e999\n",
    'line 2: the score of "AB" must be a number of at least 0, got "1e999"',
  ],
  [
    "a negative score",
    "AA,1\nAB,-2\n",
    'line 2: the score of "AB" must be a number of at least 0, got -2; add the same number to all scores, or take their exponential',
  ],
  [
    "a formula as a score",
    "AA,=1+2\nAB,1\n",
    'line 1: the score of "AA" must be a number of at least 0, got "=1+2", which is a formula of a spreadsheet; export the values instead',
  ],
  [
    "a formula as a string",
    "string,score\n=A1,1\n",
    'line 2: the string must be letters, got "=A1", which is a formula of a spreadsheet',
  ],
  [
    "a missing letter",
    "ACG,1\nAC,2\nGCA,3\n",
    'scores.csv, line 2: "AC" has 2 letters instead of 3; correct it, or allow all lengths with `variable`',
  ],
  [
    "a letter that is not in the alphabet",
    "ACG,1\nANG,2\n",
    'line 2: "ANG" has "N" at position 2, but the letters are ACG',
    { alphabet: "ACG" },
  ],
  ["a letter of two code units", "A😀,1\n", "alphabet: must have each letter once, of visible characters"],
  [
    "too many strings",
    `${"ACGT".repeat(4)},1\n`,
    "length: must give at most 2^24 strings, got 16 letters out of the 4 of `alphabet`",
  ],
  ["an open quote", '"AA,1\n', "scores.csv cannot be read: CSV: a quoted cell must end with a quote"],
  ["a spreadsheet file", "PK\u0003\u0004\0\0", "scores.csv must be a text of the format CSV or TSV"],
  [
    "two columns of one name",
    "string,Score,SCORE\nAA,1,2\n",
    'scores.csv cannot be read: there must be one column "score", got "Score", "SCORE"',
  ],
];

describe("a table is refused for", () => {
  test.each(faults)("%s", (_, table, message, options = {}) => {
    expect(() => task(table, options)).toThrow(UserError);
    expect(() => task(table, options)).toThrow(message);
  });

  test("more than 10 MB, without reading it", () => {
    const table = "ACGT,1\n".repeat(1_600_000);
    const started = performance.now();
    expect(() => task(table)).toThrow("scores.csv must have at most 10 MB, got 10.7 MB");
    expect(performance.now() - started).toBeLessThan(100);
  });

  test("many mistakes, of which it lists ten", () => {
    const lines = Array.from({ length: 15 }, (_, i) => `A${i},x`).join("\n");
    expect(() => task(`string,score\n${lines}`)).toThrow(
      /^the input has 11 problems:\n {2}scores: scores.csv, line 2: .*\n(.*\n){9} {2}scores: scores.csv has 5 more wrong lines$/,
    );
  });
});

test("training on a table of 4,096 strings comes close to the limit within 1,000 iterations", async () => {
  const strings = Array.from({ length: 4096 }, (_, i) =>
    i
      .toString(4)
      .padStart(6, "0")
      .replaceAll(/\d/g, (digit) => "ACGT"[Number(digit)]),
  );
  const score = (string: string) =>
    1 + 5 * (string.split("GA").length - 1) + (string.startsWith("TT") ? 10 : 0);
  const table = strings.map((string) => `${string}\t${score(string)}`).join("\n");
  const { environment, scores } = task(table, { stick: 0.25 });
  expect(scores.reduce((sum, each) => sum + each)).toBe(strings.reduce((sum, each) => sum + score(each), 0));
  const settings = defaultSettings(environment);
  const distances: number[] = [];
  for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 1000 })) {
    if (event.kind === "evaluation" && event.exact) distances.push(event.reached.tv - event.limit.tv);
  }
  const [before, after] = distances;
  expect(before).toBeGreaterThan(0.3);
  expect(after).toBeLessThan(0.1);
});
