import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/random-stream.ts";
import type { Panel } from "../types.ts";
import { fillGaps } from "./fill-gaps.ts";
import { fitNormaliser, NORMALISATIONS, normalise } from "./normalise.ts";
import { panelFromTable } from "./panel.ts";
import { tableFromColumns } from "./table.ts";
import { truncatePanel } from "./truncate.ts";

const DAY = 86_400_000;

/** Two series of 40 and 25 days with gaps; `changed` changes all values that are not known in the future, from a day on. */
function panel(seed: number, changed = Number.POSITIVE_INFINITY): Panel {
  const random = RandomStream.fromSeed(seed).split("panel");
  const noise = RandomStream.fromSeed(seed).split("changed");
  const days = [...Array(40).keys(), ...Array(25).keys()];
  const ids = days.map((_, i) => (i < 40 ? "a" : "b"));
  const levels = ["low", "middle", "high"];
  const draws = Array.from({ length: days.length * 3 }, () => random.uniform());
  const others = days.map(() => noise.uniform());
  const past = days.map((day, i) =>
    day < changed ? levels[Math.floor(draws[i] * 3)] : `never seen ${others[i]}`,
  );
  const y = days.map((day, i) => {
    if (day >= changed) return 1e6 * others[i];
    return draws[65 + i] < 0.1 ? Number.NaN : 1 + draws[65 + i];
  });
  const known = Float64Array.from(days, (_, i) => draws[130 + i]);
  return panelFromTable(
    tableFromColumns({
      ...{ ids, times: days.map((day) => day * DAY), targets: { y } },
      covariates: [
        { name: "weather", kind: "categorical", role: "past", values: past },
        { name: "plan", kind: "numeric", role: "known-future", values: known },
      ],
    }),
    { frequency: { unit: "day", count: 1 } },
  ).panel;
}

/** Everything that is fitted on or computed from a panel. */
function prepared(train: Panel) {
  return train.series.map((series) => {
    const filled = fillGaps(series.targets[0], "linear", train.season);
    const there = filled.values.map((value) => (Number.isNaN(value) ? 1 : value));
    const scalers = NORMALISATIONS.map((kind) => fitNormaliser(kind, there, { season: train.season }));
    return { series, filled, scalers, values: scalers.map((scaler) => normalise(scaler, there)) };
  });
}

describe("a truncated panel", () => {
  test("does not depend on later values, bit for bit", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const cutoff = 12 + seed;
      const known = prepared(truncatePanel(panel(seed), cutoff * DAY));
      const other = prepared(truncatePanel(panel(seed, cutoff), cutoff * DAY));
      expect(other).toStrictEqual(known);
      // One day later the change is visible, so the test can fail.
      expect(prepared(truncatePanel(panel(seed, cutoff), (cutoff + 1) * DAY))).not.toEqual(
        prepared(truncatePanel(panel(seed), (cutoff + 1) * DAY)),
      );
    }
  });

  test("has only known-future covariates in its future", () => {
    const [whole] = panel(3).series;
    const [{ times, future, covariates }] = truncatePanel(panel(3), 30 * DAY).series;
    expect(times.length).toBe(30);
    expect(covariates.weather).toHaveLength(30);
    expect(Object.keys(future!.covariates)).toEqual(["plan"]);
    expect(future!.times).toEqual(whole.times.slice(30));
    expect(future!.covariates.plan).toEqual((whole.covariates.plan as Float64Array).slice(30));
  });

  test("keeps the original future when truncated again", () => {
    const once = truncatePanel(panel(3), 20 * DAY);
    expect(truncatePanel(truncatePanel(panel(3), 30 * DAY), 20 * DAY)).toStrictEqual(once);
  });

  test("drops series that start later", () => {
    expect(truncatePanel(panel(1), 0).series).toEqual([]);
  });
});
