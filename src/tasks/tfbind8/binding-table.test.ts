import { beforeAll, describe, expect, test } from "vitest";
import { parseBindingTable } from "./binding-table.ts";
import { EIGHT_MERS, reverseComplement, sequenceAt, sequenceIndex } from "./eight-mers.ts";
import { readBindingTable } from "./read-binding-table.ts";

const HEADER = "8-mer\t8-mer\tE-score\tMedian\tZ-score";

/** Lines of a complete file, one per pair of strands; the score of string i is i/65536 − 0.5. */
function lines(): string[] {
  const result = [HEADER];
  for (let index = 0; index < EIGHT_MERS; index++) {
    const other = reverseComplement(index);
    if (index > other) continue;
    result.push(`${sequenceAt(index)}\t${sequenceAt(other)}\t${index / EIGHT_MERS - 0.5}\t1.0\t0.1`);
  }
  return result;
}

let complete: string[];
beforeAll(() => {
  complete = lines();
});
const parse = (text: readonly string[]) => parseBindingTable(text.join("\n"), "table.txt");

describe("8-mers", () => {
  test("have indices in alphabetical order", () => {
    expect(sequenceIndex("AAAAAAAC")).toBe(1);
    expect(sequenceIndex("CAAAAAAA")).toBe(4 ** 7);
    for (const index of [0, 4711, 65535]) expect(sequenceIndex(sequenceAt(index))).toBe(index);
  });

  test("have a reverse complement", () => {
    expect(sequenceAt(reverseComplement(sequenceIndex("AGGTATCA")))).toBe("TGATACCT");
    expect(reverseComplement(sequenceIndex("TTTTAAAA"))).toBe(sequenceIndex("TTTTAAAA"));
  });

  test("that do not exist are refused", () => {
    expect(() => sequenceAt(65536)).toThrow("the index must be a whole number from 0 to 65535, got 65536");
    expect(() => sequenceIndex("ACGU")).toThrow('"ACGU" has "U" at position 4, but the letters are ACGT');
  });
});

describe("a binding table", () => {
  test("is scaled to [0, 1], in alphabetical order, with equal scores for both strands", () => {
    const table = parse([...complete, ""]);
    expect(table).toHaveLength(65536);
    expect(table[0]).toBe(0);
    expect(Math.max(...table)).toBe(1);
    const largest = lines()
      .slice(1)
      .reduce((most, line) => Math.max(most, sequenceIndex(line.slice(0, 8))), 0);
    for (const index of [1, 4711, 30000, 65535]) {
      expect(table[index]).toBe(table[reverseComplement(index)]);
      expect(table[index]).toBeCloseTo(Math.min(index, reverseComplement(index)) / largest, 12);
    }
  });

  test("may have Windows line ends, a byte order mark and lines in any order", () => {
    const [header, ...rest] = complete;
    const text = `\uFEFF${[header, ...rest.reverse()].join("\r\n")}\r\n`;
    const [table, expected] = [parseBindingTable(text, "table.txt"), parse(complete)];
    expect(table.every((score, index) => score === expected[index])).toBe(true);
  });

  const replaced = (line: number, text: string) => [
    ...complete.slice(0, line - 1),
    text,
    ...complete.slice(line),
  ];
  const faults: [string, () => string[], string][] = [
    ["an empty file", () => [""], "table.txt is empty; give a protein-binding-microarray 8-mer file."],
    [
      "no header",
      () => complete.slice(1),
      'table.txt, line 1: the columns must be "8-mer", "8-mer", "E-score" separated by tabs, got "AAAAAAAA\\tTTTTTTTT',
    ],
    ["a missing column", () => replaced(1, "8-mer\tE-score"), "table.txt, line 1: the columns must be"],
    [
      "a wrong alphabet",
      () => replaced(3, "AAAAAANC\tGTTTTTTT\t0.1\t1\t1"),
      'table.txt, line 3: "AAAAAANC" has "N" at position 7, but the letters are ACGT; correct the line',
    ],
    [
      "small letters",
      () => replaced(2, "aaaaaaaa\ttttttttt\t0.1\t1\t1"),
      'table.txt, line 2: "aaaaaaaa" has "a" at position 1, but',
    ],
    [
      "a wrong length",
      () => replaced(2, "AAAAAAA\tTTTTTTT\t0.1\t1\t1"),
      'table.txt, line 2: "AAAAAAA" has 7 letters instead of 8',
    ],
    [
      "a second column that is not the other strand",
      () => replaced(3, "AAAAAAAC\tGTTTTTTA\t0.1\t1\t1"),
      "table.txt, line 3: the second column must be GTTTTTTT, the reverse complement of AAAAAAAC, got GTTTTTTA",
    ],
    [
      "a repeated line",
      () => [...complete, complete[1]],
      "line 32898: AAAAAAAA is also in line 2, with the same score -0.5; keep one of the two lines.",
    ],
    [
      "two scores of a string",
      () => [...complete, "TTTTTTTT\tAAAAAAAA\t0.25\t1\t1"],
      "line 32898: TTTTTTTT is also in line 2, with score -0.5 instead of 0.25; keep one of the two lines.",
    ],
    [
      "missing lines",
      () => complete.slice(0, 10),
      "table.txt: all 65536 8-mers must be present, but after 10 lines 65518 are missing, such as AAAAAAGC; download the complete file.",
    ],
    [
      "a line of control characters",
      () => replaced(6, "\0".repeat(1000)),
      `table.txt, line 6: the line must have 5 columns, got 1 in "${"\\u0000".repeat(26)}\\u0…; the file may be incomplete, download it again.`,
    ],
    [
      "a truncated line",
      () => [...complete.slice(0, 5), "AAAAAACA\tTGTT"],
      'table.txt, line 6: the line must have 5 columns, got 2 in "AAAAAACA\\tTGTT"; the file may be incomplete, download it again.',
    ],
    [
      "equal scores",
      () => complete.map((line, i) => (i === 0 ? line : `${line.slice(0, 17)}\t0.2\t1\t1`)),
      "table.txt: the E-scores must differ, got 0.2 for all; use measured scores.",
    ],
  ];
  test.each(faults)("is refused because of %s", (_, text, message) => {
    expect(() => parse(text())).toThrow(message);
  });

  test.each(["NaN", "inf", "Infinity", "1e999", "", "0,5", "0x10", "abc"])(
    "is refused because of the score %j",
    (score) => {
      expect(() => parse(replaced(2, `AAAAAAAA\tTTTTTTTT\t${score}\t1\t1`))).toThrow(
        `table.txt, line 2: the E-score of AAAAAAAA must be a finite number, got ${JSON.stringify(score)}; correct the line`,
      );
    },
  );

  test("is refused if the file is missing or a folder", async () => {
    await expect(readBindingTable("/no/such/file.txt")).rejects.toThrow(
      "/no/such/file.txt cannot be read: it does not exist; give the path of a protein-binding-microarray 8-mer file.",
    );
    await expect(readBindingTable("src")).rejects.toThrow("src cannot be read: it is a folder;");
  });
});
