import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeTable } from "./describe-table.ts";
import { panelFromTable } from "./panel.ts";
import { readTable } from "./read-table.ts";
import { tableFromColumns } from "./table.ts";

const DAY = 86_400_000;
const start = Date.parse("2024-01-01");

test("a regular table has no warnings", () => {
  const days = [...Array(30).keys()];
  const table = tableFromColumns({ times: days.map((day) => start + day * DAY), targets: { y: days } });
  expect(describeTable(table, panelFromTable(table))).toEqual({
    ...{
      series: 1,
      rows: 30,
      targets: ["y"],
      from: "2024-01-01",
      to: "2024-01-30",
      frequency: "D",
      season: 7,
      furtherSeasons: [],
    },
    ...{ shortest: 30, longest: 30, missing: 0, missingShare: 0, inserted: 0, longestGap: 0, duplicates: 0 },
    ...{ future: 0, unordered: [], constant: [], empty: [], covariates: [], ignored: [], warnings: [] },
  });
});

test("counts and warns about everything unusual", () => {
  // a: unsorted, a duplicate, a gap, one future row; b: constant; c: no values.
  const rows: [string, number, number, string | null][] = [
    ["a", 0, 1, "x"],
    ["a", 2, 3, "y"],
    ["a", 1, 2, null],
    ["a", 2, 5, "x"],
    ["a", 5, 6, "x"],
    ["a", 6, Number.NaN, "x"],
    ["b", 0, 7, "x"],
    ["b", 1, 7, "x"],
    ["c", 0, Number.NaN, "x"],
    ["c", 1, Number.NaN, "x"],
  ];
  const table = tableFromColumns({
    ids: rows.map(([id]) => id),
    times: rows.map(([, day]) => start + day * DAY),
    targets: { y: rows.map(([, , value]) => value) },
    covariates: [
      { name: "event", kind: "categorical", role: "known-future", values: rows.map((row) => row[3]) },
    ],
  });
  const ignoring = { ...table, ignoredColumns: ["notes"] };
  expect(describeTable(ignoring, panelFromTable(table, { duplicates: "mean" }))).toEqual({
    ...{
      series: 3,
      rows: 10,
      targets: ["y"],
      from: "2024-01-01",
      to: "2024-01-06",
      frequency: "D",
      season: 7,
      furtherSeasons: [],
    },
    ...{ shortest: 2, longest: 6, missing: 4, missingShare: 0.4, inserted: 2, longestGap: 2, duplicates: 1 },
    ...{ future: 1, unordered: ["a"], constant: ["b"], empty: ["c"], ignored: ["notes"] },
    covariates: [{ name: "event", kind: "categorical", role: "known-future", levels: 2, missing: 1 }],
    warnings: [
      'Series shorter than two seasons of 7 steps: "a", "b", "c".',
      'Series with a target that has no value: "c".',
      'Series with a constant target: "b".',
      'Series whose rows were not sorted by time, and were sorted: "a".',
      "1 rows had the same time as another row of their series, and were merged.",
      "40 % of the target values are missing.",
      'Unused columns: "notes".',
    ],
  });
});

test("warns about series with a single row, for example if row numbers were read as ids", () => {
  const table = tableFromColumns({ ids: ["1", "2"], times: [0, DAY], targets: { y: [1, 2] } });
  expect(describeTable(table, panelFromTable(table)).warnings).toContain(
    'Series with a single row: "1", "2".',
  );
});

test("warns about irregular times", () => {
  const table = tableFromColumns({
    times: [0, 1, 3, 7].map((hour) => hour * 1234),
    targets: { y: [1, 2, 3, 4] },
  });
  const { frequency, season, warnings } = describeTable(table, panelFromTable(table));
  expect([frequency, season]).toEqual([null, 1]);
  expect(warnings).toEqual(["Times are irregular: steps have no fixed length, and there is no season."]);
});

test("the births data of the package have twenty years of days without a gap", async () => {
  const path = fileURLToPath(new URL("../../../data/us-births-1969-1988.csv.gz", import.meta.url));
  const table = await readTable(path);
  expect(describeTable(table, panelFromTable(table))).toMatchObject({
    ...{ series: 1, rows: 7305, from: "1969-01-01", to: "1988-12-31", frequency: "D", season: 7 },
    ...{ missing: 0, inserted: 0, duplicates: 0, warnings: [] },
  });
});
