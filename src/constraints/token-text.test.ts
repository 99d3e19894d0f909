import { expect, test } from "vitest";
import { ambiguousText, tokenText } from "./token-text.ts";

test("texts of tokens with several letters are read back", () => {
  const { parse, join } = tokenText(["Ala", "A", "Gly", "r"]);
  for (const tokens of [[], [0], [1, 3, 1, 0], [2, 2, 0, 1]]) expect(parse(join(tokens))).toEqual(tokens);
  // The first letter alone does not decide which token it is.
  expect(tokenText(["a", "ab", "bb"]).parse("abbbb")).toEqual([0, 2, 2]);
  expect(tokenText(["a", "ab", "bb"]).parse("abbb")).toEqual([1, 2]);
});

test("a text that is not made of tokens is refused with the place", () => {
  expect(() => tokenText(["A", "C"]).parse("AXC")).toThrow(
    '"AXC" has "X" at position 2, where a token must start; the tokens are AC',
  );
  expect(() => tokenText(["Ala", "Gly"]).parse("AlaGl")).toThrow(
    '"AlaGl" has "G" at position 4, where a token must start; the tokens are Ala Gly',
  );
  expect(() => tokenText(["A"]).join([1])).toThrow("token 1 must be a whole number from 0 to 0, got 1");
});

test("ambiguous tokens are found, with the shortest text or another one that has two readings", () => {
  expect(ambiguousText(["A", "C", "G", "T"])).toBeNull();
  expect(ambiguousText(["a", "ab", "bb"])).toBeNull();
  expect(ambiguousText(["0", "01", "11"])).toBeNull();
  expect(ambiguousText(["A", "B", "AB"])).toBe("AB");
  expect(ambiguousText(["A", "AB", "BA"])).toBe("ABA");
  expect(ambiguousText(["1", "011", "01110", "1110", "10011"])).toBe("01110011");
});
