import { expect, test } from "vitest";
import { fileProblem, isFileProblem } from "./issues.ts";

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
