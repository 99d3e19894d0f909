// The rows of the engine benchmark: how samples become numbers to compare.

import type { Row } from "./benchmark.ts";
import type { Results, Sample } from "./harness.ts";
import type { Need, PlannedRow } from "./plan.ts";
import { compare, median } from "./statistics.ts";

export const BENCH = "engine";
export const NATIVE = "native, 1 thread";
export const PEAK = "gemm peak, 1024x1024x1024";

/** Iterations per second of two contenders. */
export function rateRow(setting: string, contest: string, ours: string, rival: string): PlannedRow {
  return row(
    setting,
    "it/s",
    rival,
    [
      [contest, ours],
      [contest, rival],
    ],
    (results) => compare(rates(results(contest, ours)), rates(results(contest, rival))),
  );
}

/** Best GFLOP/s of a large matrix product. */
export function peakRow(rival: string | null): PlannedRow {
  return row(PEAK, "GFLOP/s", rival, peakNeeds(rival), (results) => {
    const ours = gigaflops(results(PEAK, NATIVE), results);
    const rivals = rival === null ? [] : gigaflops(results(PEAK, rival), results);
    const note = "best call of all rounds";
    if (rivals.length === 0) return { ...alone(ours), ours: Math.max(...ours), note };
    const best = { ours: Math.max(...ours), rivalValue: Math.max(...rivals) };
    return {
      ...compare(ours, rivals),
      ...best,
      ratio: best.ours / best.rivalValue,
      note: `${note}; the larger is the machine's peak`,
    };
  });
}

/** Arithmetic of a workload's matrix products per second, in percent of the machine's peak. */
export function shareRow(contest: string, rival: string, peakRival: string | null): PlannedRow {
  const needs: Need[] = [[contest, NATIVE], [contest, rival], ...peakNeeds(peakRival)];
  return row(`share of gemm peak, ${contest}`, "%", rival, needs, (results) => {
    const contenders = peakRival === null ? [NATIVE] : [NATIVE, peakRival];
    const peak = Math.max(...contenders.flatMap((name) => gigaflops(results(PEAK, name), results)));
    const [{ flops }] = results(contest, NATIVE);
    const shares = (name: string) =>
      rates(results(contest, name)).map((rate) => (100 * rate * flops) / (1e9 * peak));
    return {
      ...compare(shares(NATIVE), shares(rival)),
      note: `${(flops / 1e6).toFixed(1)} MFLOP per iteration, peak ${peak.toFixed(0)} GFLOP/s`,
    };
  });
}

/** Growth of resident memory in percent. */
export function memoryRow(setting: string): PlannedRow {
  return row(setting, "%", null, [[setting, NATIVE]], (results) => {
    const samples = results(setting, NATIVE);
    const growth = samples.map(({ after1k, after10k }) => 100 * (after10k / after1k - 1));
    const [early, late] = (["after1k", "after10k"] as const).map((key) =>
      formatMegabytes(median(samples.map((sample) => sample[key]))),
    );
    return { ...alone(growth, samples), note: `${early} after 1k, ${late} after 10k` };
  });
}

/** Seconds from array function to session. */
export function compileRow(setting: string, bench = BENCH): PlannedRow {
  return row(
    setting,
    "s",
    null,
    [[setting, NATIVE]],
    (results) => {
      const samples = results(setting, NATIVE);
      const load = median(samples.map(({ loadSeconds }) => loadSeconds));
      return {
        ...alone(
          samples.map(({ compileSeconds }) => compileSeconds),
          samples,
        ),
        note: `trace, lower and session; loading the library before that takes ${load.toFixed(2)} s`,
      };
    },
    bench,
  );
}

/** `171 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}

type Values = Omit<Row, "bench" | "setting" | "unit" | "rival">;

function row(
  setting: string,
  unit: string,
  rival: string | null,
  needs: readonly Need[],
  values: (results: Results) => Values,
  bench = BENCH,
): PlannedRow {
  return {
    setting,
    rival,
    needs,
    make: (results) => ({ bench, setting, unit, rival, ...values(results) }),
  };
}

/** Values that have no rival, each with the sample it came from. */
function alone(ours: readonly number[], samples: readonly Sample[] = []): Values {
  const rounds = ours.map((value, i) => ({ ...samples[i], ours: value }));
  return { ours: median(ours), rivalValue: null, ratio: null, rounds };
}

function peakNeeds(rival: string | null): Need[] {
  return rival === null
    ? [[PEAK, NATIVE]]
    : [
        [PEAK, NATIVE],
        [PEAK, rival],
      ];
}

function rates(samples: readonly Sample[]): number[] {
  return samples.map(({ rate }) => rate);
}

/** The work of both contenders is the same and counted on our graph. */
function gigaflops(samples: readonly Sample[], results: Results): number[] {
  const [{ flops }] = results(PEAK, NATIVE);
  return samples.map(({ fastest }) => flops / fastest / 1e9);
}
