import { expect, test } from "vitest";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import type { ScoredSample } from "../trained/trained.ts";
import { formatSamples, parseSamples, sampleTable } from "./sample-formats.ts";

const strings = { environment: sequenceEnvironment({ alphabet: "ACGT", length: 3, stick: 0.5 }) };
const grid = { environment: hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.5 }) };
const sample = (
  object: string,
  thought: number[],
  score: number,
  logProbability: number | null,
): ScoredSample => ({
  ...{ object, thought, score, logProbability, outcomes: [], terminal: 0 },
});
const DNA = [
  sample("ACG", [0, 1, 3], 0.123456789, -1.5),
  sample("TTT", [3, 3, 3], 1, Number.NEGATIVE_INFINITY),
];

test("CSV has a header and all digits", () => {
  expect(formatSamples("csv", strings, DNA)).toBe(
    "sequence,thought,score,logProbability\nACG,ACT,0.123456789,-1.5\nTTT,TTT,1,-Infinity\n",
  );
});

test("no spreadsheet executes a sequence in CSV; the table for Parquet has it unchanged", () => {
  const task = { environment: sequenceEnvironment({ alphabet: "=A", length: 2, stick: 0 }) };
  const samples = [sample("=A", [0, 1], 0.5, -1)];
  const csv = formatSamples("csv", task, samples);
  expect(csv).toBe("sequence,thought,score,logProbability\n'=A,'=A,0.5,-1\n");
  expect(parseSamples(csv, "samples.csv")).toEqual([{ sequence: "=A", score: 0.5, logProbability: -1 }]);
  expect(sampleTable(task, samples, 0)).toBe("sequence,thought,score,logProbability\n=A,=A,0.5,-1\n");
});

test("CSV quotes values with a comma or a quote", () => {
  const cells = [sample("1,2", [0, 1, 1, 2], 0.5, -2), sample('a"b', [2], 0, -3)];
  expect(formatSamples("csv", grid, cells).split("\n").slice(1)).toEqual([
    '"1,2",0 1 1 stop,0.5,-2',
    '"a""b",stop,0,-3',
    "",
  ]);
});

test("JSON lines have non-finite numbers as text", () => {
  expect(formatSamples("jsonl", strings, DNA)).toBe(
    '{"sequence":"ACG","thought":"ACT","score":0.123456789,"logProbability":-1.5}\n' +
      '{"sequence":"TTT","thought":"TTT","score":1,"logProbability":"-Infinity"}\n',
  );
});

test("FASTA numbers its entries", () => {
  expect(formatSamples("fasta", strings, DNA)).toBe(
    ">sample_1 score=0.123457 logProbability=-1.50000\nACG\n>sample_2 score=1.00000 logProbability=-Infinity\nTTT\n",
  );
});

test.each(["csv", "jsonl", "fasta"] as const)(
  "%s written in parts equals the text written at once",
  (format) => {
    const [first, second] = DNA;
    expect(formatSamples(format, strings, [first]) + formatSamples(format, strings, [second], 1)).toBe(
      formatSamples(format, strings, DNA),
    );
  },
);

test("without samples there is only the header", () => {
  expect(formatSamples("csv", strings, [])).toBe("sequence,thought,score,logProbability\n");
  expect(formatSamples("jsonl", strings, []) + formatSamples("fasta", strings, [])).toBe("");
});

test("CSV is parsed as it was written", () => {
  const samples = [...DNA, sample('1,"2', [2], 0.5, -2)];
  expect(parseSamples(formatSamples("csv", grid, samples.slice(2)), "samples.csv")).toEqual([
    { sequence: '1,"2', score: 0.5, logProbability: -2 },
  ]);
  expect(parseSamples(formatSamples("csv", strings, DNA), "samples.csv")).toEqual(
    DNA.map(({ object, score, logProbability }) => ({ sequence: object, score, logProbability })),
  );
  expect(parseSamples("score,x,logProbability,sequence\r\n1,,2,a", "samples.csv")).toEqual([
    { sequence: "a", score: 1, logProbability: 2 },
  ]);
});

test("an unknown probability is an empty cell, and parsed as null", () => {
  const unknown = [sample("ACG", [0, 1, 3], 0.5, null)];
  const csv = formatSamples("csv", strings, unknown);
  expect(csv.split("\n")[1]).toBe("ACG,ACT,0.5,");
  expect(parseSamples(csv, "samples.csv")).toEqual([{ sequence: "ACG", score: 0.5, logProbability: null }]);
  expect(formatSamples("jsonl", strings, unknown)).toContain('"logProbability":null');
  expect(formatSamples("fasta", strings, unknown)).toBe(">sample_1 score=0.500000\nACG\n");
});

test("damaged CSV is refused with the name of the file", () => {
  expect(() => parseSamples("", "f.csv")).toThrow("f.csv is damaged: it has no column sequence");
  expect(() => parseSamples("sequence,score,logProbability\nA,1\n", "f.csv")).toThrow(
    "f.csv is damaged: row 1 must have 3 cells, got 2",
  );
});
