// Tests that legal strings are read, listed and told apart from others.

import { expect, test } from "vitest";
import { spaceOf } from "../../test/support/search-spaces.ts";
import { countStrings } from "../constraints/count.ts";
import { legalStrings } from "./legal-strings.ts";

test("all legal strings are listed once, in alphabetical order", () => {
  const environment = spaceOf("ABC", { min: 0, max: 5 }, [
    { kind: "homopolymer", longest: 2 },
    { kind: "forbid", motif: [0, 2] },
  ]);
  const strings = legalStrings(environment);
  const all = [...strings.all()].map(strings.text);
  expect(BigInt(all.length)).toBe(countStrings(environment.automaton));
  expect(all).toEqual([...new Set(all)].sort());
  expect(all.filter((string) => !environment.isLegal(string))).toEqual([]);
});

test("texts that are illegal or have other letters are not read", () => {
  const strings = legalStrings(spaceOf("AB", { min: 2, max: 3 }, [{ kind: "forbid", motif: [1, 1] }]));
  expect(strings.parse("ABA")).toEqual([0, 1, 0]);
  expect(["ABB", "A", "ABAB", "AX"].map(strings.parse)).toEqual([null, null, null, null]);
});
