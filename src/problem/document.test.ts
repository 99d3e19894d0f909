import { describe, expect, test } from "vitest";
import { nodeOf, parseText, plainValue } from "./document.ts";

const MEGABYTE = 2 ** 20;

function read(text: string, json = false): unknown {
  const parsed = parseText(text, json);
  if ("issues" in parsed) throw new Error(parsed.issues.map(({ message }) => message).join("; "));
  return plainValue(parsed.root);
}

function problemsOf(text: string, json = false): string[] {
  const parsed = parseText(text, json);
  return "issues" in parsed ? parsed.issues.map(({ message }) => message) : [];
}

/** The texts of a list, as they were written. */
function textsOf(text: string): (string | null)[] {
  const parsed = parseText(text, false);
  if ("issues" in parsed || parsed.root.kind !== "list") throw new Error("the text must be a list");
  return parsed.root.items.map((item) => (item.kind === "scalar" ? item.text : null));
}

describe("values", () => {
  test("keep the text that they were written as", () => {
    const words = ["N", "no", "on", "yes", "0110", "NAN", "null", "~", "1e5", "0x1F", "TRUE", ".inf"];
    expect(textsOf(words.map((word) => `- ${word}\n`).join(""))).toEqual(words);
    expect(textsOf("- '0110'\n- \"no\"\n")).toEqual(["0110", "no"]);
  });

  test("are those of YAML 1.2: no is a text, true is not", () => {
    expect(read("[no, on, N, true, 12, 1e-4, 'a', null]")).toEqual([
      ...["no", "on", "N", true, 12, 1e-4, "a", null],
    ]);
  });

  test("of JSON are the same as those of JSON.parse", () => {
    const text = '{\n\t"a": "x\\u00e9\\ud83d\\ude00\\/",\n\t"b": [1, 2.5e3, true, null, {"": "0110"}]\n}';
    expect(read(text, true)).toEqual(JSON.parse(text));
  });

  test("know their line", () => {
    const parsed = parseText("# comment\na: 1\nb:\n  - c\n  - d\n", false);
    if ("issues" in parsed || parsed.root.kind !== "map") throw new Error("the text must be a map");
    const [, { line, node }] = parsed.root.entries;
    expect(line).toBe(3);
    expect(node.kind === "list" && node.items.map((item) => item.line)).toEqual([4, 5]);
  });

  test("of a program have a text only if they are texts", () => {
    expect(nodeOf("0110")).toEqual({ kind: "scalar", value: "0110", text: "0110" });
    expect(nodeOf(110)).toEqual({ kind: "scalar", value: 110, text: null });
    expect(plainValue(nodeOf({ a: [1, { b: "c" }], d: undefined }))).toEqual({ a: [1, { b: "c" }] });
  });

  test("may be repeated by an alias", () => {
    expect(read("a: &x [1, 2]\nb: *x\n")).toEqual({ a: [1, 2], b: [1, 2] });
  });

  test("with the key __proto__ do not change the prototype", () => {
    const value = read("__proto__: { polluted: true }") as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value.polluted).toBeUndefined();
  });
});

describe("a text is refused", () => {
  const laughs = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (const [from, to] of ["ab", "bc", "cd", "de"]) {
    laughs.push(`${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(", ")}]`);
  }

  test.each([
    ["with a tag", "a: !!js/function 'x'", /^line 1: a value must have no tag, got !!js\/function; /],
    [
      "with a tag of YAML itself",
      "a:\n  - !!binary AAAA",
      /^line 2: a value must have no tag, got !!binary; /,
    ],
    ["with a version", "%YAML 1.1\n---\na: no", /^line 1: there must be no directive, got %YAML 1.1; /],
    ["with two documents", "---\na: 1\n---\na: 2", /^line 3: the file must hold one problem, got another/],
    ["with an alias bomb", laughs.join("\n"), /^at most 10000 values may be repeated by aliases/],
    ["that contains itself", "&a [*a]", /^line 1: the alias \*a must name a value that ends before it/],
    ["with an unknown alias", "a: *b", /^line 1: the alias \*b must name a value/],
    ["with very many aliases", `a: &a 1\nb: [${"*a, ".repeat(2000)}]`, /at most 1000 anchors/],
    ["with a key twice", "a: 1\nb: 2\na: 3", /^line 3: a key must occur once, got "a" twice/],
    ["with a key that is a list", "? [a]\n: b", /^line 1: a key must be a word, got a list/],
    ["with an open quote", "a: 1\nb: 'c", /^line 2: it is not YAML: /],
    ["with an open bracket", "a: [b", /^line 1: it is not YAML: /],
    ["with a surplus bracket", "a: 1\n]]]", /^line 2: /],
  ])("%s", (_, text, message) => {
    expect(problemsOf(text)[0]).toMatch(message);
  });

  // The parser alone would need minutes and gigabytes for some of these.
  test.each([
    ["[", "[".repeat(MEGABYTE)],
    ["closed brackets", "[".repeat(MEGABYTE / 2) + "]".repeat(MEGABYTE / 2)],
    ["{a: ", "{a: ".repeat(MEGABYTE / 4)],
    ["- ", "- ".repeat(MEGABYTE / 2)],
    ["? ", "? ".repeat(MEGABYTE / 2)],
    ["indentation", Array.from({ length: 1000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
  ])("with deep nesting by %s", (_, text) => {
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/at most (30 levels of brackets|.*200 columns)/),
    ]);
  });

  test.each([
    [
      "keys in brackets",
      `x: [${"a: ".repeat(300_000)}]`,
      /^line 1: a key must have one value, got another colon/,
    ],
    [
      "keys in braces",
      `{${"a:\n".repeat(300_000)}}`,
      /^line 2: a key must have one value, got another colon/,
    ],
    ["keys on one line", "a: ".repeat(160_000), /^line 1: a key must have one value, got another colon/],
    ["pairs of brackets", "[]".repeat(200_000), /^line 1: it is not YAML: Unexpected flow-seq-start/],
    ["commas", `[${",".repeat(400_000)}]`, /^line 1: it is not YAML: Unexpected , in flow sequence/],
    ["reserved characters", "@\n".repeat(400_000), /^line 1: it is not YAML: Plain value cannot start with/],
    [
      "reserved characters as values",
      "a: `\n".repeat(60_000),
      /^line 1: it is not YAML: Plain value cannot start/,
    ],
    ["escapes", `"${"\\q".repeat(MEGABYTE / 2)}"`, /^line 1: it is not YAML: Invalid escape sequence/],
    ["quotes", '"'.repeat(400_000), /^line 1: it is not YAML: Unexpected double-quoted-scalar/],
    [
      "empty items",
      "-\n".repeat(MEGABYTE / 2),
      /^line 25000[01]: the file must have at most 500000 words and signs/,
    ],
    [
      "comments",
      "#\n".repeat(MEGABYTE / 2),
      /^line 25000[01]: the file must have at most 500000 words and signs/,
    ],
  ])("soon, with very many %s", (_, text, message) => {
    const start = process.cpuUsage();
    const problems = problemsOf(text);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(3);
    expect(problems.length).toBeLessThanOrEqual(3);
    expect(problems[0]).toMatch(message);
  });

  test("but not with 20,000 known strings", () => {
    const row = "  - { string: ATGACTATACCTGAACATAA, score: 0.62 }\n";
    const { known } = read(`alphabet: DNA\nknown:\n${row.repeat(20_000)}`) as { known: unknown[] };
    expect(known).toHaveLength(20_000);
    expect(known[19_999]).toEqual({ string: "ATGACTATACCTGAACATAA", score: 0.62 });
  });

  test("if it must be JSON and is only YAML", () => {
    expect(problemsOf("a: 1", true)).toEqual([expect.stringMatching(/^it is not JSON: /)]);
    expect(problemsOf('{"a": 0110}', true)).toEqual([expect.stringMatching(/^it is not JSON: /)]);
  });
});

test("tags and brackets inside texts are no tags and brackets", () => {
  const text = `a: "!tag [[["\nb: |\n  !tag %YAML [\n  ---\nc: x!y[\n`;
  expect(read(text)).toEqual({ a: "!tag [[[", b: "!tag %YAML [\n---\n", c: "x!y[" });
});
