// docs/formats.md says what there is: its settings are those of the code, and it names every field that is written.

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withSettings } from "../scripts/config-table.ts";
import { decodeSafetensors } from "../src/gfn/safetensors.ts";
import { buildCommandLine, type CommandLine, jsonLines, metricsOf } from "./support/command-line.ts";

const document = readFileSync("docs/formats.md", "utf8");
/** Everything in the document that is printed as code. */
const code = [...document.replaceAll("\\|", "|").matchAll(/`([^`]+)`/g)].map(([, text]) => text);
const named = new Set(code.flatMap((text) => [text, ...text.split(/[^\w.-]+/)]));

test("its settings are up to date (npx tsx scripts/config-table.ts writes them)", () => {
  expect(document).toBe(withSettings(document));
});

test("its links lead somewhere", () => {
  const headings = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
  for (const [, file, , anchor] of document.matchAll(/\]\((?!http)([^)#]*)(#([^)]+))?\)/g)) {
    const text = file === "" ? document : readFileSync(`docs/${file}`, "utf8");
    if (anchor) expect(headings(text)).toContain(anchor);
  }
});

describe("of a run with everything, it names", () => {
  let cli: CommandLine;
  let printed: ReturnType<typeof jsonLines>;
  beforeAll(() => {
    cli = buildCommandLine();
    const { stdout } = cli.gflownet(
      ...[
        "train",
        "hypergrid",
        "--side",
        "3",
        "--hidden",
        "8",
        "--batch",
        "8",
        "--iterations",
        "20",
        "--samples",
        "5",
      ],
      ...["--replay-share", "0.25", "--dynamics-replay-capacity", "50", "--out", "run", "--json"],
    );
    printed = jsonLines(stdout);
  });
  afterAll(() => cli?.remove());

  /** Names of all fields, those inside of others too; kinds of events as well. */
  function fieldsOf(value: unknown): string[] {
    if (Array.isArray(value)) return value.flatMap(fieldsOf);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => [
      name,
      ...(name === "kind" ? [inner] : []),
      ...fieldsOf(inner),
    ]);
  }
  const missing = (names: readonly string[]) => [...new Set(names)].filter((name) => !named.has(name));

  test("every file", () => {
    expect(missing(readdirSync(cli.at("run")))).toEqual([]);
  });

  test("every setting", () => {
    const config = JSON.parse(readFileSync(cli.at("run", "config.json"), "utf8"));
    expect(missing(Object.keys(config))).toEqual([]);
  });

  test("every event and field, in the file and as printed", () => {
    expect(printed.at(-1)?.kind).toBe("end");
    expect(missing([...fieldsOf(metricsOf(cli.at("run"))), ...fieldsOf(printed)])).toEqual([]);
    for (const command of [
      ["tasks"],
      ["runs", "."],
      ["limit", "hypergrid", "--side", "3"],
      ["evaluate", "run"],
      ["report", "run"],
    ]) {
      expect(missing(fieldsOf(JSON.parse(cli.gflownet(...command, "--json").stdout)))).toEqual([]);
    }
    expect(missing(fieldsOf(jsonLines(cli.gflownet("sample", "run", "--format", "jsonl").stdout)))).toEqual(
      [],
    );
  });

  test("every field of a run that is known by its samples", () => {
    const { stdout } = cli.gflownet(
      ...["train", "hypergrid", "--side", "3", "--encoder", "both", "--encoder-width", "8", "--hidden", "8"],
      ...["--batch", "8", "--iterations", "2", "--samples", "5", "--out", "read", "--json"],
    );
    const lines = jsonLines(stdout);
    expect(lines.at(-1)).toMatchObject({ kind: "end", metrics: { exact: false } });
    expect(missing(fieldsOf(lines))).toEqual([]);
  });

  test("every file of a comparison, and every field in its files and as printed", () => {
    const { stdout } = cli.gflownet(
      ...["compare", "hypergrid", "--side", "3", "--batch", "8", "--hidden", "4", "--calls", "32"],
      ...[
        "--methods",
        "kl-entropy,metropolis",
        "--seeds",
        "1",
        "--evaluations",
        "1",
        "--out",
        "compared",
        "--json",
      ],
    );
    const lines = jsonLines(stdout);
    const { table, ...end } = lines.at(-1) as { table: readonly object[] };
    const columns = table.flatMap(fieldsOf).map((name) => name.replace(/(Mean|Sd)$/, ""));
    expect(lines.slice(0, -1).map(({ kind }) => kind)).toContain("record");
    expect(missing([...lines.slice(0, -1), end].flatMap(fieldsOf))).toEqual([]);
    expect(missing(columns)).toEqual([]);
    expect(missing(readdirSync(cli.at("compared")))).toEqual([]);
    expect(
      missing(Object.keys(JSON.parse(readFileSync(cli.at("compared", "comparison.json"), "utf8")))),
    ).toEqual([]);
    const [cell] = readdirSync(cli.at("compared", "cells"));
    expect(missing(fieldsOf(jsonLines(readFileSync(cli.at("compared", "cells", cell), "utf8"))))).toEqual([]);
  });

  test("everything in a checkpoint", () => {
    const { tensors, metadata } = decodeSafetensors(
      readFileSync(cli.at("run", "checkpoint.safetensors")),
      "run",
    );
    const families = Object.keys(tensors).map((name) => name.replace(/^(buffer\.\w+)\.\w+$/, "$1.*"));
    expect(families).toContain("buffer.replay.*");
    expect(missing(families)).toEqual([]);
    expect(missing([...Object.keys(metadata), ...Object.keys(JSON.parse(metadata.run))])).toEqual([]);
  });

  test("every column of the samples", () => {
    const [heading] = readFileSync(cli.at("run", "samples.csv"), "utf8").split("\n");
    expect(missing(heading.split(","))).toEqual([]);
  });
});

test("it names the version, and the check can fail", () => {
  expect(document).toContain("| `version` | 1;");
  expect(named.has("loss")).toBe(true);
  expect(named.has("noSuchField")).toBe(false);
  expect(withSettings(document.replace("`stick`", "`stik`"))).toBe(document);
});
