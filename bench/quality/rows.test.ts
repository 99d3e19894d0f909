import { describe, expect, test } from "vitest";
import { formatTable } from "../report.ts";
import { rowOf, TABLE } from "./rows.ts";
import { runOf, timingCase, timingResult, trainingCase, trainingResult } from "./test-support.ts";

const setting = trainingCase("grid, 60 s", 60, {
  requirements: [
    { measure: "tv", from: "limit", atMost: 0.04 },
    { measure: "wallSeconds", atMost: 61.2 },
  ],
});
const runs = [
  runOf(0, trainingResult({ tv: 0.12, dynamicsKl: 0.003, logZError: -0.02 }, { iterations: 1200 })),
  runOf(1, trainingResult({ tv: 0.13, dynamicsKl: 0.001, logZError: 0.01 }, { iterations: 1000 })),
  runOf(2, trainingResult({ tv: 0.11, dynamicsKl: 0.002, logZError: 0.005 }, { wallSeconds: 60.5 })),
];

describe("a row", () => {
  test("has the median and range of distances, and the worst errors", () => {
    const { measured, ...row } = rowOf(setting, runs, true);
    expect(measured).toMatchObject({
      tv: { median: 0.12, low: 0.11, high: 0.13 },
      limitTv: 0.1,
      limitKl: 0.04,
      dynamicsKl: 0.003,
      logZError: -0.02,
      iterations: 1000,
      parameters: 201_000,
    });
    expect(row).toMatchObject({
      bench: "quality",
      setting: "grid, 60 s",
      seeds: [0, 1, 2],
      wallSeconds: 60.5,
    });
    expect(row.met).toBe(true);
    expect(row.findings.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(row.runs).toBe(runs);
  });

  test("has null for values that were not measured", () => {
    const plain = runs.map(({ seed }) => runOf(seed, trainingResult({ dynamicsKl: null, pearson: null })));
    expect(rowOf(setting, plain, true).measured).toMatchObject({ dynamicsKl: null, pearson: null });
  });

  test("of shortened runs states that requirements were not checked", () => {
    const short = [runOf(0, trainingResult(), { budget: 5 })];
    expect(rowOf(setting, short, false)).toMatchObject({
      met: null,
      findings: [],
      notChecked: "not checked: only 5 s",
    });
  });

  test("without requirements has no findings", () => {
    expect(rowOf(trainingCase("free", 60), runs, true)).toMatchObject({
      met: null,
      required: [],
      notChecked: null,
    });
  });
});

test("the table shows all values, and the seed that missed a requirement", () => {
  const missed = [runs[0], runOf(1, trainingResult({ tv: 0.15, dynamicsKl: null }))];
  const rows = [
    rowOf(setting, runs, true),
    rowOf({ ...setting, name: "missed" }, missed, true),
    rowOf({ ...setting, name: "short" }, [runOf(0, trainingResult(), { budget: 5 })], false),
    rowOf(
      trainingCase("free", 60),
      [runOf(0, trainingResult({}, { prediction: { tv: 0.125, kl: 0.05 } }))],
      true,
    ),
    rowOf(
      { ...timingCase("limit"), requirements: [{ measure: "seconds", atMost: 1 }] },
      [runOf(null, timingResult(0.0812))],
      true,
    ),
  ];
  expect(`\n${formatTable(rows, TABLE)}`).toMatchInlineSnapshot(`
    "
    setting     seeds                        TV  limit TV      KL  limit KL  KL(P‖P̂)  log Z error  Pearson / Spearman  iterations  state table rows  parameters  wall s  required                            met
    grid, 60 s  0 1 2    0.1200 (0.1100-0.1300)    0.1000  0.0450    0.0400   0.0030      -0.0200     0.9900 / 0.9800        1000             21845      201000    60.5  TV <= limit + 0.04; wall s <= 61.2  yes: 0.030 (seed 1); 60.5 (seed 2)
    missed      0 1      0.1350 (0.1200-0.1500)    0.1000  0.0450    0.0400   0.0030      -0.0200     0.9900 / 0.9800        1100             21845      201000    59.6  TV <= limit + 0.04; wall s <= 61.2  no: NOT 0.050 (seed 1); 59.6 (seed 0)
    short       0                        0.1200    0.1000  0.0450    0.0400   0.0010       0.0020     0.9900 / 0.9800        1000             21845      201000    59.6  TV <= limit + 0.04; wall s <= 61.2  not checked: only 5 s
    free        0      0.1200, predicted 0.1250    0.1000  0.0450    0.0400   0.0010       0.0020     0.9900 / 0.9800        1000             21845      201000    59.6
    limit                                                                                                                                                         0.081  s <= 1                              yes: 0.081"
  `);
});

test("the record states the seeds, the number of parallel processes and the dates", () => {
  const options = { rounds: 3, seconds: 300, quick: false };
  expect(TABLE.budget(options, [rowOf(setting, runs, true)])).toBe("seeds 0, 1, 2; parallel processes: 1");
  const later = runOf(2, trainingResult(), { jobs: 2, date: "2026-01-03T00:00:00.000Z" });
  expect(TABLE.budget(options, [rowOf(setting, [...runs.slice(0, 2), later], true)])).toBe(
    "seeds 0, 1, 2; parallel processes: 1 or 2; runs finished from 2026-01-02 to 2026-01-03",
  );
});
