import { describe, expect, test } from "vitest";
import { type PanelOptions, panelFromTable } from "./panel.ts";
import { type CovariateColumn, type Table, tableFromColumns } from "./table.ts";
import { isoTime } from "./time-grid.ts";

const DAY = 86_400_000;
const NaNs = (count: number) => new Array<number>(count).fill(Number.NaN);

/** A single series at the given days after 2024-01-01, a Monday. */
function table(
  days: readonly number[],
  values: readonly number[],
  covariates?: readonly CovariateColumn[],
): Table {
  const start = Date.parse("2024-01-01");
  return tableFromColumns({
    times: days.map((day) => start + day * DAY),
    targets: { y: values },
    covariates,
  });
}

function only(input: Table, options?: PanelOptions) {
  const { panel, reports } = panelFromTable(input, options);
  return { ...panel, ...panel.series[0], report: reports[0] };
}

describe("rows become a series", () => {
  test("sorted, with missing days inserted as NaN and reported", () => {
    const { times, targets, frequency, season, report } = only(table([6, 0, 1, 2, 3], [60, 0, 1, 2, 3]));
    expect(frequency).toEqual({ unit: "day", count: 1 });
    expect(season).toBe(7);
    expect([...times].map(isoTime)).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `2024-01-0${day}`));
    expect([...targets]).toEqual([Float64Array.of(0, 1, 2, 3, ...NaNs(2), 60)]);
    expect(report).toEqual({
      id: "series",
      rows: 5,
      ordered: false,
      duplicates: 0,
      inserted: 2,
      longestGap: 2,
    });
  });

  test("of business days without inserted weekends, but with a missing Wednesday", () => {
    const { times, frequency, season, report } = only(table([0, 1, 3, 4, 7, 8], [1, 2, 3, 4, 5, 6]));
    expect(frequency).toEqual({ unit: "business-day", count: 1 });
    expect(season).toBe(5);
    expect([...times].map((time) => isoTime(time).slice(8))).toEqual([
      "01",
      "02",
      "03",
      "04",
      "05",
      "08",
      "09",
    ]);
    expect(report.inserted).toBe(1);
  });

  test("without changes if times are irregular, or on request", () => {
    const irregular = only(table([0, 1, 2.5, 3], [1, 2, 3, 4]));
    expect([irregular.frequency, irregular.season, irregular.times.length]).toEqual([null, 1, 4]);
    const kept = only(table([0, 1, 3], [1, 2, 3]), { frequency: null, season: 3 });
    expect([kept.frequency, kept.season, kept.times.length]).toEqual([null, 3, 3]);
  });

  test("that stays irregular if a grid would be almost empty", () => {
    const { frequency } = only(table([0, 1, 2, 3, 400_000], [1, 2, 3, 4, 5]));
    expect(frequency).toBeNull();
  });

  test("resampled to calendar steps, without missing values", () => {
    const input = table([0, 0.25, 0.5, 1, 3.9], [1, Number.NaN, 5, 7, 9]);
    const gathered = (aggregate: "mean" | "sum" | "first" | "last") => [
      ...only(input, { resample: { every: { unit: "day", count: 1 }, aggregate } }).targets[0],
    ];
    expect(gathered("mean")).toEqual([3, 7, Number.NaN, 9]);
    expect(gathered("sum")).toEqual([6, 7, Number.NaN, 9]);
    expect(gathered("first")).toEqual([1, 7, Number.NaN, 9]);
    expect(gathered("last")).toEqual([5, 7, Number.NaN, 9]);
  });
});

describe("duplicate times", () => {
  const twice = () => table([0, 1, 1, 2], [1, 2, 4, 5]);

  test("are an error that names the rows", () => {
    expect(() => panelFromTable(twice())).toThrow(
      'duplicates: row 3 has the same time as row 2 in series "series", 2024-01-02; choose one of mean, sum, last, first to merge them',
    );
  });

  test("are merged with the requested aggregate, and counted", () => {
    const joined = (duplicates: "mean" | "sum" | "first" | "last") => only(twice(), { duplicates });
    expect((["mean", "sum", "first", "last"] as const).map((how) => joined(how).targets[0][1])).toEqual([
      3, 6, 2, 4,
    ]);
    expect(joined("mean").report).toMatchObject({ rows: 4, duplicates: 1, inserted: 0 });
  });

  test("are not summed in covariates", () => {
    const price = {
      name: "price",
      kind: "numeric",
      role: "past",
      values: Float64Array.of(1, 2, 4, 8),
    } as const;
    const event = {
      name: "event",
      kind: "categorical",
      role: "past",
      values: [null, "a", "b", null],
    } as const;
    const { covariates } = panelFromTable(table([0, 1, 1, 2], [1, 2, 4, 5], [price, event]), {
      duplicates: "sum",
    }).panel.series[0];
    expect(covariates).toEqual({ price: Float64Array.of(1, 3, 8), event: [null, "b", null] });
  });
});

describe("covariates", () => {
  const column = (
    role: CovariateColumn["role"],
    values: Float64Array | (string | null)[],
  ): CovariateColumn => ({
    ...{ name: role, role, values },
    kind: values instanceof Float64Array ? "numeric" : "categorical",
  });

  test("that are known in the future turn trailing rows without targets into the future", () => {
    const known = column("known-future", Float64Array.of(1, 2, 3, 4, 5));
    const past = column("past", ["a", "b", null, "c", "d"]);
    const { series, covariates } = panelFromTable(
      table([0, 1, 2, 3, 5], [1, Number.NaN, 3, ...NaNs(2)], [known, past]),
    ).panel;
    expect(covariates).toEqual([
      { name: "known-future", kind: "numeric", knownInFuture: true },
      { name: "past", kind: "categorical", knownInFuture: false },
    ]);
    expect(series[0].targets[0]).toEqual(Float64Array.of(1, Number.NaN, 3));
    expect(series[0].covariates).toEqual({
      "known-future": Float64Array.of(1, 2, 3),
      past: ["a", "b", null],
    });
    expect([...series[0].future!.times].map(isoTime)).toEqual(["2024-01-04", "2024-01-05", "2024-01-06"]);
    expect(series[0].future!.covariates).toEqual({ "known-future": Float64Array.of(4, Number.NaN, 5) });
  });

  test("that are not known in the future leave such rows as missing values", () => {
    const { targets, future } = only(
      table([0, 1, 2], [1, 2, Number.NaN], [column("past", Float64Array.of(1, 2, 3))]),
    );
    expect([targets[0].length, future]).toEqual([3, undefined]);
  });

  test("of irregular times turn trailing rows without targets into the future", () => {
    const { times, future, frequency } = only(table([0, 1, 3.7, 4, 9.2], [1, 2, 3, Number.NaN, Number.NaN]));
    expect([frequency, times.length]).toEqual([null, 3]);
    expect([...future!.times].map((time) => (time - times[0]) / DAY)).toEqual([4, 9.2]);
  });

  test("that are static have one value per series; another value is an error with its row", () => {
    const { statics, covariates } = only(
      table([0, 1, 2], [1, 2, 3], [column("static", [null, "big", "big"])]),
    );
    expect([statics, covariates]).toEqual([{ static: "big" }, {}]);
    expect(() =>
      panelFromTable(table([0, 1, 2], [1, 2, 3], [column("static", Float64Array.of(1, 1, 2))])),
    ).toThrow(
      'Row 3, column "static": a static column must have one value per series, got 2 after 1 in series "series"',
    );
  });
});

describe("is rejected:", () => {
  test("all values missing", () => {
    expect(() => panelFromTable(table([0, 1, 2], NaNs(3)))).toThrow(
      'No row has a value of "y": all are missing',
    );
  });

  test("a row that is not on the grid of the frequency, such as a weekend for business days", () => {
    expect(() =>
      panelFromTable(table([0, 1, 2.5], [1, 2, 3]), { frequency: { unit: "day", count: 1 } }),
    ).toThrow(
      'frequency: row 3 of series "series" has the time 2024-01-03T12:00:00Z, which is not a whole number of steps of D after 2024-01-01; omit the frequency, or resample',
    );
    expect(() =>
      panelFromTable(table([5, 7], [1, 2]), { frequency: { unit: "business-day", count: 1 } }),
    ).toThrow(
      /^frequency: row 1 of series "series" has the time 2024-01-06, which is not a whole number of steps of B/,
    );
  });

  test("a frequency that is much finer than the rows", () => {
    expect(() => panelFromTable(table([0, 1], [1, 2]), { frequency: { unit: "second", count: 1 } })).toThrow(
      'frequency: series "series" has 2 rows, too few for steps of s between its times',
    );
  });

  test("a season that is not a positive whole number", () => {
    for (const season of [0, 1.5, Number.NaN]) {
      expect(() => panelFromTable(table([0, 1], [1, 2]), { season })).toThrow(
        `season: must be a whole number from 1 to 100000, got ${season}`,
      );
    }
  });

  test("inconsistent columns in memory", () => {
    expect(() => tableFromColumns({ times: [], targets: { y: [] } })).toThrow(
      "A table needs at least one row, got none",
    );
    expect(() => tableFromColumns({ times: [1], targets: {} })).toThrow(
      "A table needs at least one target, got none",
    );
    expect(() => tableFromColumns({ times: [1], targets: { y: [1, 2] } })).toThrow(
      "Column y must have 1 rows as times have, got 2",
    );
    expect(() => tableFromColumns({ times: [1, 2], targets: { y: [1, Number.POSITIVE_INFINITY] } })).toThrow(
      "Row 2, column y: a finite number is needed, got Infinity",
    );
    expect(() => tableFromColumns({ times: [Number.NaN], targets: { y: [1] } })).toThrow(
      "Row 1, column times: a finite number is needed, got NaN",
    );
  });
});

test("series of one table keep their order and share the frequency", () => {
  const ids = ["b", "a", "b", "a", "b"];
  const times = [0, 0, 1, 2, 2].map((day) => day * DAY);
  const { panel } = panelFromTable(tableFromColumns({ ids, times, targets: { y: [1, 10, 2, 12, 3] } }));
  expect(panel.series.map(({ id, targets }) => [id, [...targets[0]]])).toEqual([
    ["b", [1, 2, 3]],
    ["a", [10, Number.NaN, 12]],
  ]);
});

describe("step numbers as times", () => {
  const counting = (times: readonly number[]) =>
    tableFromColumns({ times, timesAreSteps: true, targets: { y: times.map((time) => 10 * time) } });

  test("have steps without a season, and missing steps are inserted", () => {
    const { frequency, season, times, targets } = only(counting([1, 2, 5]));
    expect([frequency, season]).toEqual([{ unit: "step", count: 1 }, 1]);
    expect([...times]).toEqual([1, 2, 3, 4, 5]);
    expect([...targets[0]]).toEqual([10, 20, ...NaNs(2), 50]);
  });

  test("can be resampled to a number of steps", () => {
    const every = { unit: "step", count: 4 } as const;
    const { times, targets } = only(counting([0, 1, 5, 6]), { resample: { every, aggregate: "sum" } });
    expect([[...times], [...targets[0]]]).toEqual([
      [0, 4],
      [10, 110],
    ]);
  });

  test.each<[string, Table, PanelOptions, string]>([
    [
      "with a calendar frequency",
      counting([1, 2, 3]),
      { frequency: { unit: "day", count: 1 } },
      "frequency: must be a number of steps, because the times are whole numbers that count steps, got D; give the time unit, s or ms, if they are timestamps",
    ],
    [
      "as irregular times",
      counting([1, 2, 3]),
      { frequency: null },
      "frequency: must be a number of steps, because the times are whole numbers that count steps, got irregular; give the time unit, s or ms, if they are timestamps",
    ],
    [
      "with timestamps",
      table([0, 1, 2], [1, 2, 3]),
      { frequency: { unit: "step", count: 1 } },
      "frequency: a number of steps, 1, needs times that are whole numbers, got 2024-01-01; omit the frequency, or resample",
    ],
    [
      "with duplicates",
      counting([7, 7]),
      {},
      'duplicates: row 2 has the same time as row 1 in series "series", 7; choose one of mean, sum, last, first to merge them',
    ],
  ])("%s are rejected", (_, input, options, sentence) => {
    expect(() => panelFromTable(input, options)).toThrow(sentence);
  });

  test("with fractions are rejected", () => {
    expect(() => counting([1, 1.5])).toThrow("Row 2: times that count steps must be whole numbers, got 1.5");
  });
});

test("a frequency finer than all gaps is rejected if there are at least two gaps", () => {
  const hours = { frequency: { unit: "hour", count: 1 } } as const;
  expect(() => panelFromTable(table([0, 1, 3], [1, 2, 3]), hours)).toThrow(
    "frequency: steps of h are finer than all gaps between times, which have at least 24 steps; omit the frequency, or resample",
  );
  expect(only(table([0, 1], [1, 2]), hours).times).toHaveLength(25);
  expect(only(table([0, 1, 1 + 1 / 24], [1, 2, 3]), hours).times).toHaveLength(26);
});
