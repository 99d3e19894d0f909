// Rows of the engine benchmark, computed from the samples of all rounds.

import type { Row } from "./benchmark.ts";
import type { Contender, Contest, Results, Sample } from "./harness.ts";
import type { PlannedRow, SampleName } from "./plan.ts";
import { formatNumber } from "./report.ts";
import { compare, median } from "./statistics.ts";

export const BENCH = "engine";
export const NATIVE = "native, 1 thread";
export const PEAK = "gemm peak, 1024x1024x1024";

/** Iterations per second of two contenders. */
export function rateRow(
  setting: string,
  contest: string,
  ours: string,
  rival: string,
  bench = BENCH,
): PlannedRow {
  return row(
    setting,
    "it/s",
    rival,
    [
      [contest, ours],
      [contest, rival],
    ],
    (results) => compare(rates(results(contest, ours)), rates(results(contest, rival))),
    bench,
  );
}

/** GFLOP/s of the fastest large matrix product. */
export function peakRow(rival: string | null, bench = BENCH): PlannedRow {
  const values = (results: Results): Values => {
    const ours = gigaflops(results(PEAK, NATIVE), results);
    const rivals = rival === null ? [] : gigaflops(results(PEAK, rival), results);
    const note = "best call of all rounds";
    if (rivals.length === 0) return { ...withoutRival(ours), ours: Math.max(...ours), note };
    const best = { ours: Math.max(...ours), rivalValue: Math.max(...rivals) };
    return {
      ...compare(ours, rivals),
      ...best,
      ratio: best.ours / best.rivalValue,
      note: `${note}; the larger is the machine's peak`,
    };
  };
  return row(PEAK, "GFLOP/s", rival, peakSamples(rival), values, bench);
}

/** FLOP/s of the matrix products of a workload, in percent of the peak of the machine. */
export function shareRow(contest: string, rival: string, peakRival: string | null): PlannedRow {
  const needs: SampleName[] = [[contest, NATIVE], [contest, rival], ...peakSamples(peakRival)];
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

/** Growth of resident memory from 1,000 to 10,000 iterations, in percent. */
export function memoryRow(setting: string): PlannedRow {
  return row(setting, "%", null, [[setting, NATIVE]], (results) => {
    const samples = results(setting, NATIVE);
    const growth = samples.map(({ after1k, after10k }) => 100 * (after10k / after1k - 1));
    const [early, late] = (["after1k", "after10k"] as const).map((key) =>
      formatMegabytes(median(samples.map((sample) => sample[key]))),
    );
    return { ...withoutRival(growth, samples), note: `${early} after 1k, ${late} after 10k` };
  });
}

/** Seconds to compile an array function into an executable session. */
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
        ...withoutRival(
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
  needs: readonly SampleName[],
  values: (results: Results) => Values,
  bench = BENCH,
): PlannedRow {
  return {
    setting,
    rival,
    samples: needs,
    make: (results) => ({ bench, setting, unit, rival, ...values(results) }),
  };
}

/** Values of a row without a rival. Round i also gets the fields of `samples[i]`. */
function withoutRival(ours: readonly number[], samples: readonly Sample[] = []): Values {
  const rounds = ours.map((value, i) => ({ ...samples[i], ours: value }));
  return { ours: median(ours), rivalValue: null, ratio: null, rounds };
}

/** The contest of large matrix products, whose fastest call shows the peak of the machine. */
export function peakContest(contenders: readonly Contender[]): Contest {
  return { name: PEAK, contenders, describe: ({ fastest }) => `${(1000 * fastest).toFixed(1)} ms at best` };
}

/** Operations of the matrix products of a contest per iteration, and their share of the peak of the machine. */
export function operationsNote(contest: string, results: Results): string {
  const [{ flops }] = results(contest, NATIVE);
  const peak = Math.max(...gigaflops(results(PEAK, NATIVE), results));
  const speed = (median(rates(results(contest, NATIVE))) * flops) / 1e9;
  return `${formatNumber(flops / 1e6)} MFLOP per iteration, ${((100 * speed) / peak).toFixed(0)} % of the peak`;
}

function peakSamples(rival: string | null): SampleName[] {
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

/** GFLOP/s of the fastest call of each sample. FLOPs are counted on our graph; both contenders do the same work. */
function gigaflops(samples: readonly Sample[], results: Results): number[] {
  const [{ flops }] = results(PEAK, NATIVE);
  return samples.map(({ fastest }) => flops / fastest / 1e9);
}
