import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { sequenceCodec } from "./sequence-codec.ts";

/** All strings of this length over the alphabet. */
function strings(alphabet: string, length: number): string[] {
  let all = [""];
  for (let i = 0; i < length; i++) all = all.flatMap((text) => [...alphabet].map((letter) => text + letter));
  return all;
}

const fixed = sequenceCodec({ alphabet: "ACGT", length: 3 });
const variable = sequenceCodec({ alphabet: "AB", length: 4, variable: true });

describe("strings of fixed length", () => {
  test("are encoded as the indices of their letters", () => {
    expect(fixed.encode("TGA")).toEqual(Int32Array.of(3, 2, 0));
    expect(fixed.decode([3, 2, 0])).toBe("TGA");
    expect(fixed.pad).toBe(4);
  });

  test("are decoded correctly, and all of a small space have distinct tokens", () => {
    const all = strings("ACGT", 3);
    expect(all.map((text) => fixed.decode(fixed.encode(text)))).toEqual(all);
    expect(new Set(all.map((text) => fixed.encode(text).join())).size).toBe(64);
  });
});

describe("strings of variable length", () => {
  test("are padded with the size of the alphabet", () => {
    expect(variable.encode("BA")).toEqual(Int32Array.of(1, 0, 2, 2));
    expect(variable.encode("")).toEqual(Int32Array.of(2, 2, 2, 2));
    expect(variable.encode("ABBA")).toEqual(Int32Array.of(0, 1, 1, 0));
  });

  test("are decoded with or without their padding", () => {
    expect(variable.decode([1, 0, 2, 2])).toBe("BA");
    expect(variable.decode(Int32Array.of(1, 0, 2))).toBe("BA");
    expect(variable.decode([1, 0])).toBe("BA");
    expect(variable.decode([])).toBe("");
  });

  test("are decoded correctly, and all of a small space have distinct tokens", () => {
    const all = [0, 1, 2, 3, 4].flatMap((length) => strings("AB", length));
    expect(all.map((text) => variable.decode(variable.encode(text)))).toEqual(all);
    expect(new Set(all.map((text) => variable.encode(text).join())).size).toBe(31);
  });
});

test.each([true, false])(
  "random strings of a large space are decoded correctly (variable: %s)",
  (variable) => {
    const alphabet = "ACDEFGHIKLMNPQRSTVWY";
    const codec = sequenceCodec({ alphabet, length: 60, variable });
    const stream = RandomStream.fromSeed(5);
    for (let k = 0; k < 200; k++) {
      const length = variable ? stream.integer(61) : 60;
      const text = Array.from({ length }, () => alphabet[stream.integer(20)]).join("");
      expect(codec.decode(codec.encode(text))).toBe(text);
    }
  },
);

test("letters may be any visible characters of one code unit", () => {
  const codec = sequenceCodec({ alphabet: "é⠿水,0-", length: 6 });
  expect(codec.decode(codec.encode("⠿é-0,水"))).toBe("⠿é-0,水");
});

test("several strings are encoded one after the other", () => {
  expect(variable.encodeAll(["BA", "", "ABBA"])).toEqual(Int32Array.of(1, 0, 2, 2, 2, 2, 2, 2, 0, 1, 1, 0));
  expect(variable.encodeAll([])).toEqual(new Int32Array(0));
  expect(() => fixed.encodeAll(["AAA", "AXA"])).toThrow('"AXA" has "X" at position 2');
});

test("a problem is described without throwing, and a valid string has none", () => {
  expect(fixed.problemWith("ACG")).toBeNull();
  expect(fixed.problemWith("AC")).toBe('"AC" has 2 letters instead of 3');
});

describe("invalid strings are rejected in one sentence:", () => {
  test.each([
    ['sequenceCodec: "ACU" has "U" at position 3, but the letters are ACGT', fixed, "ACU"],
    ['sequenceCodec: "aCG" has "a" at position 1, but the letters are ACGT', fixed, "aCG"],
    ['sequenceCodec: "A G" has " " at position 2, but the letters are ACGT', fixed, "A G"],
    ['sequenceCodec: "A😀" has "😀" at position 2, but the letters are ACGT', fixed, "A😀"],
    ['sequenceCodec: "A" has 1 letter instead of 3', fixed, "A"],
    ['sequenceCodec: "ACGT" has 4 letters instead of 3', fixed, "ACGT"],
    ['sequenceCodec: "" has 0 letters instead of 3', fixed, ""],
    ['sequenceCodec: "ABABA" has 5 letters, more than the 4 allowed', variable, "ABABA"],
  ])("%s", (message, codec, text) => {
    expect(() => codec.encode(text)).toThrow(new RangeError(message));
  });
});

describe("invalid tokens are rejected in one sentence:", () => {
  test.each([
    ["sequenceCodec: token 3 is the letter B after padding", variable, [0, 2, 1, 2]],
    ["sequenceCodec: token 2 must be a whole number from 0 to 2, got 3", variable, [0, 3, 2, 2]],
    ["sequenceCodec: token 1 must be a whole number from 0 to 2, got -1", variable, [-1]],
    ["sequenceCodec: token 1 must be a whole number from 0 to 2, got 0.5", variable, [0.5]],
    ["sequenceCodec: a string has 4 tokens, got 5", variable, [0, 0, 0, 0, 2]],
    ['sequenceCodec: "AC" has 2 letters instead of 3', fixed, [0, 1, 4]],
    ['sequenceCodec: "AC" has 2 letters instead of 3', fixed, [0, 1]],
    ["sequenceCodec: a string has 3 tokens, got 4", fixed, [0, 1, 2, 3]],
  ])("%s", (message, codec, tokens) => {
    expect(() => codec.decode(tokens)).toThrow(new RangeError(message));
  });
});

describe("invalid alphabets and lengths are rejected in one sentence:", () => {
  const invisible = "which is not a visible, non-combining character; use other letters";
  test.each([
    ["", 2, "alphabet.length must be a positive whole number, got 0"],
    ["ABA", 2, 'the alphabet "ABA" repeats a letter; list each letter once'],
    ["AB ", 2, `the alphabet "AB " has " ", ${invisible}`],
    ["A\tB", 2, `the alphabet "A\\tB" has "\\t", ${invisible}`],
    ["A\u200b", 2, `the alphabet "A\u200b" has "\u200b", ${invisible}`],
    ["e\u0301", 2, `the alphabet "e\u0301" has "\u0301", ${invisible}`],
    ["A😀", 2, 'the alphabet "A😀" has "😀", which takes two code units; use other letters'],
    ["AB", 0, "length must be a positive whole number, got 0"],
    ["AB", 1.5, "length must be a positive whole number, got 1.5"],
  ])("%j and %d", (alphabet, length, message) => {
    expect(() => sequenceCodec({ alphabet, length })).toThrow(new RangeError(`sequenceCodec: ${message}`));
  });

  test("the message begins with the name of the caller", () => {
    expect(() => sequenceCodec({ alphabet: "AA", length: 1 }, "mine")).toThrow(
      'mine: the alphabet "AA" repeats a letter',
    );
  });
});
