// docs/from-the-notes.md says what there is: its files, flags, objectives and tests exist, and no fault is claimed without
// a test.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { addModelFlags } from "../src/cli/commands/forecast/model-flags.ts";
import { flagsOf } from "../src/cli/config/flags.ts";
import { TypedCommand } from "../src/cli/typed.ts";
import { OBJECTIVES } from "../src/gfn/objectives/choice.ts";

const document = readFileSync("docs/from-the-notes.md", "utf8");

/** Everything that is wrong with a document of this form, one sentence each. */
function problemsOf(text: string): string[] {
  return [...pathProblems(text), ...testProblems(text), ...flagProblems(text), ...rowProblems(text)];
}

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);

/** Files are named in full, so that every one can be looked for. */
function pathProblems(text: string): string[] {
  return codeIn(text)
    .filter((code) => /\.(ts|md)$/.test(code) && !existsSync(code))
    .map((path) => `${path} does not exist`);
}

/** A test is named by its file and, behind it, its name in quotes; there may be several. */
const REFERENCE = /`([^`]+\.test\.ts)`((?:(?: and|,)? "[^"]+")+)/g;

function testProblems(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, file, names]) => {
    const source = existsSync(file) ? readFileSync(file, "utf8") : "";
    return [...names.matchAll(/"([^"]+)"/g)]
      .map(([, name]) => name)
      .filter((name) => !titlesOf(source).has(name))
      .map((name) => `${file} has no test "${name}"`);
  });
}

/** What stands first in a test: test("…", or the call after a table, )("…". */
function titlesOf(source: string): Set<string> {
  return new Set([...source.matchAll(/(?:\btest|\))\(\s*"((?:[^"\\]|\\.)*)"/g)].map(([, title]) => title));
}

/** Flags of `gflownet forecast` that set up its model. */
function modelFlags(): string[] {
  const command = new TypedCommand();
  addModelFlags(command);
  return command.options.map(({ long }) => long ?? "");
}

function flagProblems(text: string): string[] {
  const flags = new Set([...flagsOf().map(({ name }) => name), "--greedy", "--noise", ...modelFlags()]);
  return codeIn(text)
    .filter((code) => code.startsWith("--"))
    .flatMap((code) => {
      const [flag, value] = code.split(" ");
      if (!flags.has(flag)) return [`${flag} is no flag`];
      return flag === "--objective" && !Object.hasOwn(OBJECTIVES, value) ? [`${value} is no objective`] : [];
    });
}

/** Who says that something fails names a test that shows it. */
function rowProblems(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| in the notes"))
    .flatMap((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      if (cells.length !== 6) return [`${cells[1]} has ${cells.length - 2} cells instead of 4`];
      const [, name, here, fault, shown] = cells;
      if (here === "") return [`${name} became nothing`];
      return fault !== "" && shown.match(REFERENCE) === null ? [`${name} has a fault without a test`] : [];
    });
}

test("everything that it names exists, and every fault has its test", () => {
  expect(problemsOf(document)).toEqual([]);
  expect([...document.matchAll(REFERENCE)].length).toBeGreaterThan(60);
});

test("the check can fail", () => {
  const row = (here: string, fault: string, shown: string) => `| \`x\` | ${here} | ${fault} | ${shown} |`;
  const here = '`test/from-the-notes.test.ts` "the check can fail"';
  expect(problemsOf(row("`--stick`", "wrong", here))).toEqual([]);
  expect(problemsOf(row("`src/gfn/nothing.ts`", "", ""))).toEqual(["src/gfn/nothing.ts does not exist"]);
  expect(problemsOf(row("y", "wrong", `${here} and "nobody wrote this"`))).toEqual([
    'test/from-the-notes.test.ts has no test "nobody wrote this"',
  ]);
  expect(problemsOf(row("`--sticky` and `--objective all`", "", ""))).toEqual([
    "--sticky is no flag",
    "all is no objective",
  ]);
  expect(problemsOf(row("", "", ""))).toEqual(["`x` became nothing"]);
  expect(problemsOf(row("y", "wrong", ""))).toEqual(["`x` has a fault without a test"]);
  expect(problemsOf("| `x` | y |")).toEqual(["`x` has 2 cells instead of 4"]);
});

test("its links lead somewhere", () => {
  const headings = [...document.matchAll(/^## (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  const links = [...document.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  // Every part is in the list of parts.
  expect(headings.filter((heading) => !links.includes(heading))).toEqual([]);
});
