import { describe, expect, test } from "vitest";
import { type PanelOptions, panelOf } from "./panel.ts";
import { type CovariateColumn, type Table, tableOf } from "./table.ts";
import { isoTime } from "./times.ts";

const DAY = 86_400_000;
const NaNs = (count: number) => new Array<number>(count).fill(Number.NaN);

/** A single series at these days after 2024-01-01, a Monday. */
function table(
  days: readonly number[],
  values: readonly number[],
  covariates?: readonly CovariateColumn[],
): Table {
  const start = Date.parse("2024-01-01");
  return tableOf({ times: days.map((day) => start + day * DAY), targets: { y: values }, covariates });
}

function only(input: Table, options?: PanelOptions) {
  const { panel, reports } = panelOf(input, options);
  return { ...panel, ...panel.series[0], report: reports[0] };
}

describe("rows become a series", () => {
  test("sorted, with missing days put in as NaN, and a report of it", () => {
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

  test("as it is where times are irregular, or where that is asked for", () => {
    const irregular = only(table([0, 1, 2.5, 3], [1, 2, 3, 4]));
    expect([irregular.frequency, irregular.season, irregular.times.length]).toEqual([null, 1, 4]);
    const kept = only(table([0, 1, 3], [1, 2, 3]), { frequency: null, season: 3 });
    expect([kept.frequency, kept.season, kept.times.length]).toEqual([null, 3, 3]);
  });

  test("that stays irregular where a grid would be almost empty", () => {
    const { frequency } = only(table([0, 1, 2, 3, 400_000], [1, 2, 3, 4, 5]));
    expect(frequency).toBeNull();
  });

  test("resampled: gathered in steps of the calendar, missing values left out", () => {
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

describe("times that appear twice", () => {
  const twice = () => table([0, 1, 1, 2], [1, 2, 4, 5]);

  test("are an error that names the rows", () => {
    expect(() => panelOf(twice())).toThrow(
      'Row 3 has the same time as row 2 in series "series", 2024-01-02; set aggregate to one of mean, sum, last, first to join them',
    );
  });

  test("are joined where that is asked for, and counted", () => {
    const joined = (aggregate: "mean" | "sum" | "first" | "last") => only(twice(), { aggregate });
    expect((["mean", "sum", "first", "last"] as const).map((how) => joined(how).targets[0][1])).toEqual([
      3, 6, 2, 4,
    ]);
    expect(joined("mean").report).toMatchObject({ rows: 4, duplicates: 1, inserted: 0 });
  });

  test("do not add up what stands beside the targets", () => {
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
    const { covariates } = panelOf(table([0, 1, 1, 2], [1, 2, 4, 5], [price, event]), { aggregate: "sum" })
      .panel.series[0];
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

  test("that are known ahead make the rows without targets at the end the future", () => {
    const known = column("known", Float64Array.of(1, 2, 3, 4, 5));
    const past = column("past", ["a", "b", null, "c", "d"]);
    const { series, covariates } = panelOf(
      table([0, 1, 2, 3, 5], [1, Number.NaN, 3, ...NaNs(2)], [known, past]),
    ).panel;
    expect(covariates).toEqual([
      { name: "known", kind: "numeric", known: true },
      { name: "past", kind: "categorical", known: false },
    ]);
    expect(series[0].targets[0]).toEqual(Float64Array.of(1, Number.NaN, 3));
    expect(series[0].covariates).toEqual({ known: Float64Array.of(1, 2, 3), past: ["a", "b", null] });
    expect([...series[0].future!.times].map(isoTime)).toEqual(["2024-01-04", "2024-01-05", "2024-01-06"]);
    expect(series[0].future!.covariates).toEqual({ known: Float64Array.of(4, Number.NaN, 5) });
  });

  test("that are not known ahead leave such rows as missing", () => {
    const { targets, future } = only(
      table([0, 1, 2], [1, 2, Number.NaN], [column("past", Float64Array.of(1, 2, 3))]),
    );
    expect([targets[0].length, future]).toEqual([3, undefined]);
  });

  test("that are static have one value per series, or the row is named that has another", () => {
    const { statics, covariates } = only(
      table([0, 1, 2], [1, 2, 3], [column("static", [null, "big", "big"])]),
    );
    expect([statics, covariates]).toEqual([{ static: "big" }, {}]);
    expect(() => panelOf(table([0, 1, 2], [1, 2, 3], [column("static", Float64Array.of(1, 1, 2))]))).toThrow(
      'Row 3, column "static": a static column has one value per series, got 2 after 1 in series "series"',
    );
  });
});

describe("what makes no panel is said:", () => {
  test("all values missing", () => {
    expect(() => panelOf(table([0, 1, 2], NaNs(3)))).toThrow('No row has a value of "y": all are missing');
  });

  test("a row that is off the frequency given, and a weekend that is no business day", () => {
    expect(() => panelOf(table([0, 1, 2.5], [1, 2, 3]), { frequency: { unit: "day", count: 1 } })).toThrow(
      'Row 3 of series "series" is at 2024-01-03T12:00:00Z, which is no step of D from 2024-01-01; leave the frequency out, or resample',
    );
    expect(() => panelOf(table([5, 7], [1, 2]), { frequency: { unit: "business-day", count: 1 } })).toThrow(
      /^Row 1 of series "series" is at 2024-01-06, which is no step of B/,
    );
  });

  test("a frequency far finer than the rows", () => {
    expect(() => panelOf(table([0, 1], [1, 2]), { frequency: { unit: "second", count: 1 } })).toThrow(
      'Series "series" has 2 rows, too few for steps of s between its times',
    );
  });

  test("a season that is none", () => {
    for (const season of [0, 1.5, Number.NaN]) {
      expect(() => panelOf(table([0, 1], [1, 2]), { season })).toThrow(
        `season must be a whole number of steps, at least 1, got ${season}`,
      );
    }
  });

  test("columns in memory that are no table", () => {
    expect(() => tableOf({ times: [], targets: { y: [] } })).toThrow(
      "A table needs at least one row, got none",
    );
    expect(() => tableOf({ times: [1], targets: {} })).toThrow("A table needs at least one target, got none");
    expect(() => tableOf({ times: [1], targets: { y: [1, 2] } })).toThrow(
      "Column y must have 1 rows as times have, got 2",
    );
    expect(() => tableOf({ times: [1, 2], targets: { y: [1, Number.POSITIVE_INFINITY] } })).toThrow(
      "Row 2, column y: a finite number is needed, got Infinity",
    );
    expect(() => tableOf({ times: [Number.NaN], targets: { y: [1] } })).toThrow(
      "Row 1, column times: a finite number is needed, got NaN",
    );
  });
});

test("series of one table keep their order and share the frequency", () => {
  const ids = ["b", "a", "b", "a", "b"];
  const times = [0, 0, 1, 2, 2].map((day) => day * DAY);
  const { panel } = panelOf(tableOf({ ids, times, targets: { y: [1, 10, 2, 12, 3] } }));
  expect(panel.series.map(({ id, targets }) => [id, [...targets[0]]])).toEqual([
    ["b", [1, 2, 3]],
    ["a", [10, Number.NaN, 12]],
  ]);
});

describe("times that count steps", () => {
  const counting = (times: readonly number[]) =>
    tableOf({ times, counted: true, targets: { y: times.map((time) => 10 * time) } });

  test("have steps and no season, and gaps are put in", () => {
    const { frequency, season, times, targets } = only(counting([1, 2, 5]));
    expect([frequency, season]).toEqual([{ unit: "step", count: 1 }, 1]);
    expect([...times]).toEqual([1, 2, 3, 4, 5]);
    expect([...targets[0]]).toEqual([10, 20, ...NaNs(2), 50]);
  });

  test("can be gathered by so many", () => {
    const every = { unit: "step", count: 4 } as const;
    const { times, targets } = only(counting([0, 1, 5, 6]), { resample: { every, aggregate: "sum" } });
    expect([[...times], [...targets[0]]]).toEqual([
      [0, 4],
      [10, 110],
    ]);
  });

  test.each<[string, Table, PanelOptions, string]>([
    [
      "in days",
      counting([1, 2, 3]),
      { frequency: { unit: "day", count: 1 } },
      "Times are whole numbers that count steps, so the frequency must be a number of them, got D; set timeUnit to s or ms if they count time since 1970",
    ],
    [
      "as irregular",
      counting([1, 2, 3]),
      { frequency: null },
      "Times are whole numbers that count steps, so the frequency must be a number of them, got irregular; set timeUnit to s or ms if they count time since 1970",
    ],
    [
      "that are days",
      table([0, 1, 2], [1, 2, 3]),
      { frequency: { unit: "step", count: 1 } },
      "A frequency of 1 is for times that are whole numbers, got 2024-01-01",
    ],
    [
      "that come twice",
      counting([7, 7]),
      {},
      'Row 2 has the same time as row 1 in series "series", 7; set aggregate to one of mean, sum, last, first to join them',
    ],
  ])("%s are refused", (_, input, options, sentence) => {
    expect(() => panelOf(input, options)).toThrow(sentence);
  });

  test("in halves are refused", () => {
    expect(() => counting([1, 1.5])).toThrow("Row 2: times that count steps must be whole numbers, got 1.5");
  });
});

test("a step that is finer than all gaps is refused, unless there is one gap only", () => {
  const hours = { frequency: { unit: "hour", count: 1 } } as const;
  expect(() => panelOf(table([0, 1, 3], [1, 2, 3]), hours)).toThrow(
    "Steps of h are finer than all gaps between times, which are at least 24 of them; leave the frequency out, or resample",
  );
  expect(only(table([0, 1], [1, 2]), hours).times).toHaveLength(25);
  expect(only(table([0, 1, 1 + 1 / 24], [1, 2, 3]), hours).times).toHaveLength(26);
});
