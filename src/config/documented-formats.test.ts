// docs/formats.md is complete: its tables of config keys match the code, and it names every field that the program writes.

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withSettings } from "../../scripts/config-table.ts";
import { buildCommandLine, type CommandLine, jsonLines, metricsOf } from "../../test/support/command-line.ts";
import { decodeSafetensors } from "../formats/safetensors.ts";
import { CONFIG_VERSION } from "./index.ts";

const document = readFileSync("docs/formats.md", "utf8");
/** All code spans of the document. */
const code = [...document.replaceAll("\\|", "|").matchAll(/`([^`]+)`/g)].map(([, text]) => text);
const named = new Set(code.flatMap((text) => [text, ...text.split(/[^\w.-]+/)]));

test("its config keys are up to date (npx tsx scripts/config-table.ts writes them)", () => {
  expect(document).toBe(withSettings(document));
});

describe("for a run, it names", () => {
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

  /** Names of all fields, nested ones included, and kinds of events. */
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

  test("every event and field, in metrics.jsonl and with --json", () => {
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

  test("every field of a run that is evaluated by samples", () => {
    const { stdout } = cli.gflownet(
      ...["train", "hypergrid", "--side", "3", "--encoder", "both", "--encoder-width", "8", "--hidden", "8"],
      ...["--batch", "8", "--iterations", "2", "--samples", "5", "--out", "read", "--json"],
    );
    const lines = jsonLines(stdout);
    expect(lines.at(-1)).toMatchObject({ kind: "end", metrics: { exact: false } });
    expect(missing(fieldsOf(lines))).toEqual([]);
  });

  test("every file and field of a comparison, on disk and with --json", () => {
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
    const [experiment] = readdirSync(cli.at("compared", "experiments"));
    expect(
      missing(fieldsOf(jsonLines(readFileSync(cli.at("compared", "experiments", experiment), "utf8")))),
    ).toEqual([]);
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

test("it states the version, and the checks can fail", () => {
  expect(document).toContain(`| \`version\` | ${CONFIG_VERSION};`);
  expect(named.has("loss")).toBe(true);
  expect(named.has("noSuchField")).toBe(false);
  expect(withSettings(document.replace("`stick`", "`stik`"))).toBe(document);
});
