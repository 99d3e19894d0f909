import { expect, test } from "vitest";
import { fileProblem, isFileProblem, shortLine } from "./issues.ts";

const failure = (code?: string) => Object.assign(new Error("first line\nsecond line"), { code });

test.each([
  ["ENOENT", "it does not exist"],
  ["EPERM", "permission denied"],
  ["ENOSPC", "the disk is full"],
])("the file-system error %s is explained", (code, problem) => {
  expect(fileProblem(failure(code))).toBe(problem);
  expect(isFileProblem(failure(code))).toBe(true);
});

test("another error is explained by the first line of its message", () => {
  for (const code of [undefined, "ERR_OTHER", "toString"]) {
    expect(fileProblem(failure(code))).toBe("first line");
    expect(isFileProblem(failure(code))).toBe(false);
  }
  expect(isFileProblem(undefined)).toBe(false);
});

test.each([
  ["  first\n\tsecond ", "first second"],
  ["\u001b[1;31mred\u001b[0m and \u001b]0;title\u0007plain", "red and plain"],
  ["bell\u0007, \u001b and \u202e", "bell\\u0007, \\u001b and \\u202e"],
  ["x".repeat(100_000), `${"x".repeat(297)}...`],
  ["\u0007".repeat(100_000), `${"\\u0007".repeat(49)}\\u0...`],
])("what a program says becomes one short line: %j", (text, line) => {
  expect(shortLine(text)).toBe(line);
});
