// Tests the data of reports against the files of runs, comparisons and backtests with given content.

import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  CONFIG,
  end,
  evaluation,
  iteration,
  record,
  watchedFolder,
} from "../../test/support/entry-folders.ts";
import { pageText } from "../report/page-file.ts";
import { packReport, unpackReport } from "./packed-report.ts";
import type { ReportData } from "./page-data.ts";
import { type ReportOptions, reportData } from "./report-data.ts";
import { entriesAt } from "./report-entries.ts";
import type { ComputeView } from "./report-views.ts";
import type { ViewData } from "./view-data.ts";
import { viewData } from "./views.ts";

const folder = watchedFolder();
folder.run("runs/a", { seed: 0 }, [
  ...[evaluation(0, 1, 0.5), iteration(10, 1 / 3), iteration(20, 2), evaluation(20, 3, 0.25), end(20, 4)],
]);
folder.run("runs/b", { seed: 1 }, [
  ...[evaluation(0, 2, 0.75), iteration(10, 8), iteration(20, 4), evaluation(20, 4, 0.125), end(20, 5)],
]);
folder.comparison("comparisons/c", [
  [{ method: "kl", stick: 0.25, seed: 0 }, [record({ iteration: 4, calls: 64, tv: 0.5, loss: 2 })]],
  [{ method: "kl", stick: 0.25, seed: 1 }, [record({ iteration: 4, calls: 64, tv: 0.25, loss: 4 })]],
]);
folder.write(
  "comparisons/c/page.json",
  pageText({
    title: "c",
    intro: "Two experiments.",
    sections: [{ heading: "Figures", figures: ['<svg width="1"></svg>', "<script>1</script>"] }],
  }),
);
folder.backtest("backtests/bt");

const nothing: ComputeView = () => Promise.reject(new Error("there is no view"));

async function reportOf(paths: readonly string[], options: Partial<ReportOptions> = {}): Promise<ReportData> {
  const { chosen, all } = await entriesAt(paths.map((path) => folder.at(path)));
  return reportData(chosen, all, { largest: 1e6, version: "1.2.3", view: nothing, ...options });
}

const seriesOf = ({ series }: ReportData, metric: string, axis = "iteration") =>
  series.find((answer) => answer.metric === metric && answer.x === axis);

describe("the report of runs", () => {
  test("has their points over every axis, their table and their settings", async () => {
    const report = await reportOf(["runs/a", "runs/b"]);
    expect(report).toMatchObject({
      ...{ title: "2 runs: a, b", compared: ["a", "b"], state: "#/?x=iteration", notes: [], pages: [] },
      list: { version: "1.2.3", allowsTraining: false },
    });
    const tv = seriesOf(report, "tv");
    expect(tv?.series.map(({ entry, x, mean, points, limit }) => [entry, x, mean, points, limit])).toEqual([
      ["a", [0, 20], [0.5, 0.25], 2, 0.01],
      ["b", [0, 20], [0.75, 0.125], 2, 0.01],
    ]);
    expect(tv?.groups.map(({ entries, mean }) => [entries, mean])).toEqual([
      [
        ["a", "b"],
        [0.625, 0.1875],
      ],
    ]);
    expect(seriesOf(report, "loss")?.series[0].mean).toEqual([0.3333333, 2]);
    expect(seriesOf(report, "tv", "seconds")?.series[0].x).toEqual([1, 3]);
    expect(seriesOf(report, "loss", "calls")?.series[1].x).toEqual([160, 320]);
    const [group, a] = report.table.rows;
    expect(group.cells.tv).toMatchObject({ best: 0.1875, last: 0.1875 });
    expect(a.cells.loss).toMatchObject({ best: 1 / 3, last: 2 });
    expect(report.table.differences).toEqual([{ setting: "seed", values: ["0", "1"] }]);
    expect(report.details.map(({ settings }) => settings)).toEqual(
      [0, 1].map((seed) => {
        const { version: _, ...settings } = { ...CONFIG, seed };
        return Object.entries(settings).map(([name, value]) => [name, String(value)]);
      }),
    );
  });

  test("of one run has no groups, and a chosen axis and step", async () => {
    const report = await reportOf(["runs/a"], { x: "seconds", at: 2 });
    expect(report).toMatchObject({ title: "Run a", state: "#/?x=seconds" });
    expect(seriesOf(report, "tv")?.groups).toEqual([]);
    expect(report.table.rows[0].cells.tv.at).toBe(0.5);
  });

  test("is made of a folder of runs too, and each run is inside once", async () => {
    const report = await reportOf(["runs", "runs/b", "runs/../runs/a"]);
    expect(report.compared).toEqual(["a", "b"]);
  });

  test("of folders of the same name tells them apart by their paths", async () => {
    folder.run("other/a", { seed: 9 }, [evaluation(0, 1, 0.5)]);
    expect((await reportOf(["runs/a", "other/a"])).compared).toEqual(["runs/a", "other/a"]);
  });
});

describe("the report of a comparison", () => {
  test("has the curves of its experiments and its figures, if they are plain", async () => {
    const report = await reportOf(["comparisons/c"]);
    const ids = [0, 1].map((seed) => `c#kl_stick=0.25_seed=${seed}.jsonl`);
    expect(report).toMatchObject({ title: "Comparison c", compared: ids, state: "#/?x=calls" });
    expect(report.details.map(({ entry }) => entry.id)).toEqual(["c"]);
    expect(report.details[0].description).toEqual(["Two experiments."]);
    expect(report.list.entries.map(({ id }) => id)).toEqual(["c", ...ids]);
    expect(seriesOf(report, "tv", "calls")?.groups[0]).toMatchObject({ x: [64], mean: [0.375] });
    expect(report.pages).toEqual([
      {
        entry: "c",
        page: {
          ...{ title: "c", intro: "Two experiments." },
          sections: [{ heading: "Figures", figures: ['<svg width="1"></svg>'] }],
        },
      },
    ]);
  });
});

describe("the report of a backtest", () => {
  test("has its views", async () => {
    const report = await reportOf(["backtests/bt"], { view: viewData });
    expect(report.views.map(({ entry, data }) => [entry, data.view])).toEqual([
      ["bt", "forecast"],
      ["bt", "calibration"],
    ]);
    expect(report.details[0].views).toEqual(["forecast", "calibration"]);
    expect(report.details[0].results).toMatchObject([{ label: "MAE", model: "Naive", reached: 1.5 }]);
  });

  test("says why a view is missing, without the place of the folder", async () => {
    const view: ComputeView = async (path) => {
      throw new Error(`${path}/forecasts.csv is damaged`);
    };
    const { notes, details } = await reportOf(["backtests/bt"], { view });
    expect(notes).toEqual([
      "The views forecast, calibration of bt are not inside: forecasts.csv is damaged.",
    ]);
    expect(details[0].views).toEqual([]);
  });
});

describe("the size of a report", () => {
  const events = Array.from({ length: 4000 }, (_, i) => iteration(i + 1, Math.sin(i) ** 2 + 1e-3));
  folder.run("long/run", {}, [...events, evaluation(4000, 9, 0.25)]);
  const bytesOf = (report: ReportData) => Buffer.byteLength(packReport(report));

  test("is bounded by fewer columns of long curves, which keep their range and mean", async () => {
    const whole = await reportOf(["long/run"]);
    expect(seriesOf(whole, "loss")?.series[0]).toMatchObject({ points: 4000 });
    expect(seriesOf(whole, "loss")?.series[0].x).toHaveLength(600);
    const small = await reportOf(["long/run"], { largest: 40_000 });
    expect(bytesOf(small)).toBeLessThanOrEqual(40_000);
    expect(small.notes[0]).toMatch(/^Curves are thinned to \d+ columns, so that the file stays small\.$/);
    const { low, high, points } = seriesOf(small, "loss")!.series[0];
    expect(points).toBe(4000);
    const losses = events.map(({ loss }) => loss as number);
    expect(Math.min(...low)).toBeCloseTo(Math.min(...losses), 6);
    expect(Math.max(...high)).toBeCloseTo(Math.max(...losses), 6);
  });

  test("is bounded by leaving out the largest views, with a note", async () => {
    const view: ComputeView = async (_, name): Promise<ViewData> => {
      const notes = ["x".repeat(name === "forecast" ? 50_000 : 10)];
      return { view: name, exact: true, notes, models: [], series: [] } as unknown as ViewData;
    };
    const { views, details, notes } = await reportOf(["backtests/bt"], { view, largest: 40_000 });
    expect(views.map(({ data }) => data.view)).toEqual(["calibration"]);
    expect(details[0].views).toEqual(["calibration"]);
    expect(notes).toEqual([
      expect.stringMatching(/^A view forecast of bt is not inside, because it has 50,\d{3} bytes\.$/),
    ]);
  });

  test("is refused if even that is not enough", async () => {
    await expect(reportOf(["long/run"], { largest: 1000 })).rejects.toThrow(
      "a report of 1 entries would be too large; choose fewer",
    );
  });
});

describe("folders of a report", () => {
  test("must have an entry that can be read", async () => {
    folder.write("broken/config.json", "{");
    folder.write("empty/readme.txt", "");
    await expect(reportOf(["missing"])).rejects.toThrow(/^there is no run at .*missing; check the name/);
    await expect(reportOf(["empty"])).rejects.toThrow(
      /empty is not a run, a design, a comparison, a backtest or a forecast/,
    );
    await expect(reportOf(["runs/a", "broken"])).rejects.toThrow(/broken: its config\.json is not JSON/);
  });

  test("may have a page that is no page, which is left out", async () => {
    writeFileSync(folder.at("backtests/bt/page.json"), "{");
    expect((await reportOf(["backtests/bt"])).pages).toEqual([]);
  });
});

test("a report is unpacked as it was packed, and its JSON has nothing that ends a script", async () => {
  folder.run("names/<\u2028script><!--", { seed: 3 }, [evaluation(0, 1, 0.5)]);
  const report = await reportOf(["names", "runs/a", "runs/b"]);
  const text = packReport(report);
  expect(text).not.toMatch(/[<\u2028\u2029]/);
  expect(unpackReport(text)).toEqual(report);
  // Equal lists are stored once.
  expect(text.split("[0,20]")).toHaveLength(2);
});
