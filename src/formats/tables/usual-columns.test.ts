import { describe, expect, test } from "vitest";
import { columnNamed, usualColumn } from "./usual-columns.ts";

describe("the usual column", () => {
  test.each([
    ["well,value,string,score", 2, 3],
    ["x,seq,reward,fitness", 1, 3],
    ["Value,Sequence", 1, 0],
    ["STRING,string,Score", 1, 2],
    [" string ,score", 0, 1],
    ["a,b", undefined, undefined],
  ])("of %j has the first usual name, whatever the order of the columns", (header, string, score) => {
    expect(usualColumn(header.split(","), "string")).toBe(string);
    expect(usualColumn(header.split(","), "score")).toBe(score);
  });

  test("is refused if several columns have the same name", () => {
    expect(() => usualColumn(["string", "Score", "SCORE", "value"], "score")).toThrow(
      'there must be one column "score", got "Score", "SCORE"; rename all but one of them',
    );
    expect(() => columnNamed(["a", "b", "a"], "a")).toThrow('there must be one column "a", got "a", "a"');
    expect(usualColumn(["Score", "score"], "score")).toBe(1);
    expect(columnNamed(["a"], "b")).toBeUndefined();
  });
});
