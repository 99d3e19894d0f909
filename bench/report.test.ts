import { expect, test } from "vitest";
import type { Row } from "./benchmark.ts";
import { COMPARISON_TABLE, formatMarkdown, formatNumber, formatTable, type Report } from "./report.ts";

const rate: Row = {
  bench: "engine",
  setting: "mlp-step, hidden 64",
  unit: "it/s",
  ours: 4052.4,
  rival: "pytorch",
  rivalValue: 1308.1,
  ratio: 3.09,
  rounds: [
    { ours: 3582, rivalValue: 1228, ratio: 2.92 },
    { ours: 4522, rivalValue: 1387, ratio: 3.26 },
  ],
};
const compile: Row = {
  bench: "engine",
  setting: "compile",
  unit: "s",
  ours: 0.1594,
  rival: null,
  rivalValue: null,
  ratio: null,
  rounds: [{ ours: 0.1594 }],
  note: "trace, lower and session",
};
const report: Report = {
  bench: "engine",
  date: "2026-01-02T03:04:05.678Z",
  command: "npm run bench -- engine --record",
  machine: { cpu: "Some CPU", cores: 2, memoryGigabytes: 8, platform: "linux 6 x64", node: "v20.20.2" },
  versions: { "onnxruntime-node": "1.30.0", torch: null },
  load: { before: [0.1, 0.2, 0.3], after: [1.25, 1, 1] },
  options: { quick: false, rounds: 2, seconds: 3, only: null },
  rows: [rate, compile],
};

test("the table aligns its columns, and leaves cells of a missing rival empty", () => {
  expect(`\n${formatTable(report.rows, COMPARISON_TABLE)}`).toMatchInlineSnapshot(`
    "
    setting              unit  ours  rival    rival's             ratio  note
    mlp-step, hidden 64  it/s  4052  pytorch     1308  3.09 (2.92-3.26)
    compile              s     0.16                                      trace, lower and session"
  `);
});

test("the record states machine, versions, date, command and rounds above its table", () => {
  expect(`\n${formatMarkdown(report, COMPARISON_TABLE)}`).toMatchInlineSnapshot(`
    "
    # Benchmark \`engine\`

    Measured on 2026-01-02 by \`npm run bench -- engine --record\`: rounds 2, seconds per process 3.
    Machine: Some CPU, 2 cores, 8 GB, linux 6 x64, Node v20.20.2, onnxruntime-node 1.30.0, torch not installed, load 0.10 before and 1.25 after.

    Values are medians over rounds. The ratio is the median of the ratios of all rounds, ours / rival, with the smallest and
    the largest in brackets; above 1, this library is faster.

    | setting | unit | ours | rival | rival's | ratio | note |
    | --- | --- | --: | --- | --: | --: | --- |
    | mlp-step, hidden 64 | it/s | 4052 | pytorch | 1308 | 3.09 (2.92-3.26) |  |
    | compile | s | 0.16 |  |  |  | trace, lower and session |
    "
  `);
});

test("columns align with combining marks, and Markdown escapes bars inside a cell", () => {
  const marked = [
    { ...compile, note: "|P\u0302|" },
    { ...compile, note: "|PQ|" },
  ];
  const columns = [...COMPARISON_TABLE.columns.slice(-1), ...COMPARISON_TABLE.columns.slice(0, 1)];
  const table = { ...COMPARISON_TABLE, columns };
  expect(formatTable(marked, table).split("\n").slice(1)).toEqual(["|P\u0302|   compile", "|PQ|  compile"]);
  expect(formatMarkdown({ ...report, rows: marked.slice(1) }, table)).toContain("| \\|PQ\\| | compile |");
});

test("numbers have about three significant digits", () => {
  const shown = [0, 0.00123, 0.159, 3.094, 30.94, 309.4, 4052.4, -12.13].map(formatNumber);
  expect(shown).toEqual(["0", "0.0012", "0.16", "3.09", "30.9", "309", "4052", "-12.1"]);
});
