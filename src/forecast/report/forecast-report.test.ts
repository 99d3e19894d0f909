// Tests of the report pages of backtests and forecasts: sections, tables, and escaping of untrusted text.

import { describe, expect, test } from "vitest";
import { backtestContents, forecastContents } from "../../../scripts/forecast-gallery.ts";
import { htmlPage, isReportPage } from "../../report/page.ts";
import { plainTable } from "../../report/tables.ts";
import { backtestReport, forecastReport, forecastTable } from "./forecast-report.ts";

const headings = (page: { readonly sections: readonly { readonly heading: string }[] }) =>
  page.sections.map(({ heading }) => heading);

describe("a backtest", () => {
  const contents = backtestContents();
  const page = backtestReport(contents);

  test("has results, errors, calibration, forecasts and provenance", () => {
    expect(page.title).toBe("Backtest births");
    expect(headings(page)).toEqual([
      ...[
        "Results",
        "Error by step ahead",
        "Calibration",
        "Forecasts and actual values",
        "How this was made",
      ],
    ]);
    const html = htmlPage(page);
    expect(isReportPage(html)).toBe(true);
    for (const text of [
      "Skill against seasonal-naive",
      "gflownet backtest births.csv",
      "20.19.0",
      "52.0 %",
    ]) {
      expect(html).toContain(text);
    }
    expect(html.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:|src=|href=|<script/,
    );
    expect(htmlPage(backtestReport(backtestContents()))).toBe(html);
  });

  test("has no section for missing data", () => {
    const { name, provenance: work, windows, metrics } = contents;
    expect(headings(backtestReport({ name, provenance: work, windows, metrics }))).toEqual([
      "Results",
      "How this was made",
    ]);
    const none = backtestReport({ name, provenance: work, windows, metrics: { metrics: [], models: [] } });
    expect(none.sections[0].text).toBe("No model was evaluated.");
    expect(() => htmlPage(none)).not.toThrow();
  });

  test("draws models in the same colours in all figures", () => {
    const { overlays = [] } = contents;
    const [overlay] = overlays;
    const [, second] = overlay.models;
    const [svg] = backtestReport({ ...contents, overlays: [{ ...overlay, models: [second] }] }).sections[3]
      .figures!;
    expect(svg).toContain('fill="#c8500a"');
    expect(svg).not.toContain('fill="#0067b1"');
  });

  test("escapes untrusted text", () => {
    const evil = `<img src=x onerror="alert(1)">`;
    const html = htmlPage(
      backtestReport({
        ...contents,
        name: evil,
        windows: evil,
        notes: [evil],
        provenance: {
          ...contents.provenance,
          command: evil,
          data: evil,
          versions: { [evil]: evil },
          settings: { [evil]: evil },
        },
        pit: [{ name: evil, counts: [1, 2] }],
        overlays: contents.overlays?.map((overlay) => ({ ...overlay, title: evil })),
      }),
    );
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img");
  });
});

describe("a forecast", () => {
  const contents = forecastContents();
  const page = forecastReport(contents);

  test("has a fan chart per series, decompositions, numbers and provenance", () => {
    expect(headings(page)).toEqual(["Forecasts", "Parts of the series", "Numbers", "How this was made"]);
    expect(page.sections[0].figures).toHaveLength(contents.fans.length);
    expect(page.intro).toContain("28 days ahead.");
  });

  test("draws the first of many series and counts them; without series it says so", () => {
    const many = forecastReport({ ...contents, fans: Array.from({ length: 30 }, () => contents.fans[2]) });
    expect(many.sections[0].figures).toHaveLength(24);
    expect(many.sections[0].text).toBe("The first 24 of 30 series.");
    const none = forecastReport({ name: "none", provenance: contents.provenance, fans: [] });
    expect(none.sections[0].text).toBe("No series.");
    expect(headings(none)).toEqual(["Forecasts", "How this was made"]);
  });

  test("has a table of times, median and intervals from narrow to wide", () => {
    const time = Date.UTC(2024, 1, 29, 6);
    const table = forecastTable(
      {
        ...{ name: "m", times: [time, time + 3_600_000], median: [10, 12.5] },
        intervals: [
          { level: 0.95, low: [8, 9], high: [12, Number.NaN] },
          { level: 0.5, low: [9.5, 11], high: [10.5, 13] },
        ],
      },
      "load",
    );
    expect(plainTable(table)).toBe(
      [
        "m, load",
        "time (UTC)        median  50 % low  50 % high  95 % low  95 % high",
        "2024-02-29 06:00  10.000     9.500     10.500     8.000     12.000",
        "2024-02-29 07:00  12.500    11.000     13.000     9.000          –",
      ].join("\n"),
    );
  });

  test("has a table of step numbers if times are step numbers", () => {
    const model = { name: "m", times: [41, 42], median: [10, 12.5], intervals: [] };
    const fan = {
      title: "load",
      timesAreSteps: true,
      value: { label: "y" },
      history: { times: [40], values: [9] },
    };
    const { sections } = forecastReport({ ...contents, fans: [{ ...fan, models: [model] }] });
    const numbers = sections.find(({ heading }) => heading === "Numbers");
    expect(plainTable(numbers!.tables![0])).toBe(
      ["m, load", "step  median", "41    10.000", "42    12.500"].join("\n"),
    );
  });

  test("truncates the table of a long forecast and says so", () => {
    const times = Array.from({ length: 100 }, (_, h) => h * 86_400_000);
    const table = forecastTable({ name: "m", times, median: times, intervals: [] }, "load");
    expect(table.rows).toHaveLength(60);
    expect(table.caption).toBe("m, load; the first 60 of 100 steps");
    expect(table.rows[1].name).toBe("1970-01-02");
  });
});
