// Rows of the peers benchmark: iterations per second, and in the note the floating-point operations of both sides.

import type { Row } from "../benchmark.ts";
import type { Sample } from "../harness.ts";
import type { PlannedRow } from "../plan.ts";
import { formatNumber } from "../report.ts";
import { compare, median } from "../statistics.ts";

/** The name of this library in the contests. */
export const OURS = "native, 1 thread";

/** Iterations per second of this library and of a peer; null if none is installed. */
export function peerRow(setting: string, rival: string | null): PlannedRow {
  return {
    setting,
    rival,
    samples: [[setting, OURS], ...(rival === null ? [] : [[setting, rival] as const])],
    make(results) {
      const ours = results(setting, OURS);
      const values = rival === null ? alone(ours) : against(ours, results(setting, rival));
      return { bench: "peers", setting, unit: "it/s", rival, ...values };
    },
  };
}

type Values = Omit<Row, "bench" | "setting" | "unit" | "rival">;

function alone(ours: readonly Sample[]): Values {
  const rounds = ours.map(({ rate, flops }) => ({ ours: rate, flops }));
  const note = `${megaflops(ours)} MFLOP per iteration`;
  return { ours: median(ours.map(({ rate }) => rate)), rivalValue: null, ratio: null, rounds, note };
}

/** The ratio per operation compares the operations per second of both sides. */
function against(ours: readonly Sample[], theirs: readonly Sample[]): Values {
  const rates = (samples: readonly Sample[]) => samples.map(({ rate }) => rate);
  const speeds = (samples: readonly Sample[]) => samples.map(({ rate, flops }) => rate * flops);
  const comparison = compare(rates(ours), rates(theirs));
  const perOperation = compare(speeds(ours), speeds(theirs)).ratio;
  return {
    ...comparison,
    rounds: comparison.rounds.map((round, i) => ({
      ...round,
      flops: ours[i].flops,
      rivalFlops: theirs[i].flops,
    })),
    note: `${megaflops(ours)} MFLOP per iteration, rival's ${megaflops(theirs)}; ratio per FLOP ${formatNumber(perOperation)}`,
  };
}

function megaflops(samples: readonly Sample[]): string {
  return formatNumber(median(samples.map(({ flops }) => flops)) / 1e6);
}
