// Tests that documents match the repository: links lead to files and headings, named files and flags exist, and the
// glossary names existing code.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listFiles } from "../scripts/list-files.ts";
import { buildCommandLine } from "./support/command-line.ts";

const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "bench/README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`),
].sort();

/** The anchors of a document's headings, as GitHub derives them: repeated ones are numbered. */
function anchorsOf(text: string): string[] {
  const used = new Map<string, number>();
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => {
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Links within the repository that lead to no file or no heading. */
function brokenLinks(file: string, text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
    .filter(([, path, anchor]) => {
      const target = path === "" ? file : join(dirname(file), path);
      if (!existsSync(target)) return true;
      const linked = path === "" ? text : target.endsWith(".md") ? readFileSync(target, "utf8") : "";
      return anchor !== undefined && !anchorsOf(linked).includes(anchor);
    })
    .map(([link]) => link);
}

/** Files and folders that are named in code spans and do not exist. */
function missingPaths(text: string): string[] {
  return [...text.matchAll(/`((?:src|test|bench|docs|scripts|examples|data)\/[\w./-]+)`/g)]
    .map(([, path]) => path)
    .filter((path) => !existsSync(path));
}

describe.each(DOCUMENTS)("%s", (file) => {
  const text = readFileSync(file, "utf8");

  test("has no broken link", () => {
    expect(brokenLinks(file, text)).toEqual([]);
  });

  test("names no missing file", () => {
    expect(missingPaths(text)).toEqual([]);
  });
});

test("a broken link and a missing file are found", () => {
  const text =
    "# One heading\n# One heading\n[a](#one-heading-1) [b](#one-heading-2) [c](none.md) `src/none.ts` `src/gfn`";
  expect(brokenLinks("docs/README.md", text)).toEqual(["](#one-heading-2)", "](none.md)"]);
  expect(missingPaths(text)).toEqual(["src/none.ts"]);
});

/** Flags of Redis, npm, Slurm and kubectl, in the recipes of docs/scale.md. */
const FLAGS_OF_OTHERS = new Set([
  ...["--daemonize", "--logfile", "--global"],
  ...["--array", "--cpus-per-task", "--mem-per-cpu", "--requeue", "--from-file", "--replicas"],
]);

test("every flag that a document names exists", () => {
  const cli = buildCommandLine();
  try {
    const helpOf = (...command: string[]) => cli.gflownet(...command, "--help").stdout;
    const commandsOf = (...command: string[]) =>
      [...helpOf(...command).matchAll(/^ {2}(\w+)/gm)]
        .map(([, name]) => name)
        .filter((name) => name !== "help");
    const tasks = JSON.parse(cli.output("tasks", "--json")) as { name: string }[];
    const help = [
      ...tasks.map(({ name }) => helpOf("train", name)),
      ...commandsOf().map((name) => helpOf(name)),
      ...["forecast", "queue"].flatMap((parent) => commandsOf(parent).map((name) => helpOf(parent, name))),
    ];
    const flags = new Set(help.join("\n").match(/--[a-z][\w-]+/g));
    expect(flags.size).toBeGreaterThan(100);
    const named = DOCUMENTS.filter((file) => !/^(CHANGELOG|bench)/.test(file)).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(?<!bench -- .*)(?<![\w-])--[a-z][\w-]+/g)].map(
        ([flag]) => `${file}: ${flag}`,
      ),
    );
    const isKnown = (flag: string) => flags.has(flag) || FLAGS_OF_OTHERS.has(flag);
    expect(named.filter((entry) => !isKnown(entry.split(": ")[1]))).toEqual([]);
  } finally {
    cli.remove();
  }
});

test('every name in the glossary\'s column "in the code" occurs in the sources', () => {
  const files = listFiles("src").map(({ path }) => path);
  const sources = files.map((path) => readFileSync(path, "utf8")).join("\n");
  const exists = (name: string) =>
    name.includes("/") || name.endsWith(".ts")
      ? files.some((path) => `/${path}`.includes(`/${name.replace(/^\//, "")}`))
      : new RegExp(`\\b${name}\\b`).test(sources);
  const names = glossaryNames(readFileSync("docs/glossary.md", "utf8"));
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !exists(name))).toEqual([]);
});

/** The code spans in the column "in the code" of all tables of the glossary. */
function glossaryNames(text: string): string[] {
  let column = -1;
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("|")) return [];
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (cells.includes("in the code")) column = cells.indexOf("in the code");
    return [...cells[column].matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  });
}

test("every source file begins with a sentence that describes it", () => {
  expect(listFiles("src").filter(({ about }) => about === "")).toEqual([]);
});
