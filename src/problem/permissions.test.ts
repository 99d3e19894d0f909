import { describe, expect, test } from "vitest";
import { type Allowed, permissions } from "./permissions.ts";
import { parseProblem } from "./read-problem.ts";

async function needsOf(oracle: unknown, allowed: Allowed = {}) {
  const { problem } = await parseProblem({ alphabet: "DNA", length: 8, oracle }, { folder: "/problem" });
  const { issues, lines } = permissions(problem, allowed);
  return { issues: issues.map(({ path, message }) => `${path}: ${message}`), lines };
}

test("a program needs allowExec, and what it runs is said", async () => {
  const oracle = { program: "python3 score.py 'a b; rm -rf'", workers: 4 };
  const command = 'python3 score.py "a b; rm -rf"';
  expect(await needsOf(oracle)).toEqual({
    issues: [`oracle.program: runs the program ${command}, which must be allowed by \`allowExec\``],
    lines: [`runs ${command} in /problem, 4 at the same time`],
  });
  expect((await needsOf(oracle, { allowExec: true })).issues).toEqual([]);
});

test("a module needs allowExec", async () => {
  expect(await needsOf({ module: "./score.mjs" }, { allowNet: ["localhost"] })).toEqual({
    issues: ["oracle.module: runs the module /problem/score.mjs, which must be allowed by `allowExec`"],
    lines: ["runs the module /problem/score.mjs"],
  });
});

describe("a host must be allowed by name:", () => {
  test.each([
    ["http://localhost:8080/score", ["localhost"], true],
    ["http://localhost:8080/score", ["localhost:8080"], true],
    ["http://localhost:8080/score", ["LocalHost"], true],
    ["http://localhost:8080/score", ["localhost:80"], false],
    ["http://localhost:8080/score", [], false],
    ["http://localhost:8080/score", ["host", "localhost.example.org", "*", ""], false],
    ["http://localhost.example.org/", ["localhost"], false],
    ["https://example.org/", ["example.org:443"], true],
    ["https://example.org/", ["example.org:444"], false],
    ["http://[::1]:8080/", ["[::1]:8080"], true],
    ["http://example.org/", ["x@example.org", "example.org/path"], false],
  ])("%s with %j: %j", async (url, allowNet, isAllowed) => {
    const { issues } = await needsOf({ url }, { allowExec: true, allowNet });
    expect(issues.length === 0).toBe(isAllowed);
  });

  test("the message names the host", async () => {
    expect(await needsOf({ url: "http://localhost:8080/score" })).toEqual({
      issues: [
        "oracle.url: sends strings to localhost:8080, which must be allowed by `allowNet` localhost:8080",
      ],
      lines: ["sends strings to http://localhost:8080/score"],
    });
  });
});

test("the query of an address, which may hold a key, is not shown", async () => {
  const { lines } = await needsOf(
    { url: "https://example.org/score?key=abc" },
    { allowNet: ["example.org"] },
  );
  expect(lines).toEqual(["sends strings to https://example.org/score?…"]);
});

test("a landscape and a problem without an oracle need nothing", async () => {
  expect(await needsOf({ landscape: "nk", k: 2 })).toEqual({ issues: [], lines: [] });
  expect(await needsOf(undefined)).toEqual({ issues: [], lines: [] });
});
