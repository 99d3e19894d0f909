// The rows on the cost of oracles: a slow program with several processes, and a fast one in training.

import type { CasesOf } from "./design-case.ts";
import {
  FAST_ORACLES,
  type FastOracleResult,
  measureFastOracle,
  measureSlowOracle,
  type SlowOracleResult,
  TRAININGS,
} from "./oracles.ts";

const SLOW = { milliseconds: 50, workers: 8, strings: 256 };
const FAST = { microseconds: 20, batch: 128, iterations: 400 };
const [MOST_RATIO, MOST_SHARE] = [1.15, 0.1];

/** One oracle. The strings or iterations are fewer in a quick run. */
export type OracleMeasurement =
  | { readonly speed: "slow"; readonly kind: "json-lines" | "plain-lines"; readonly strings: number }
  | {
      readonly speed: "fast";
      readonly kind: (typeof FAST_ORACLES)[number];
      readonly training: (typeof TRAININGS)[number];
      readonly iterations: number;
    };

export type OracleResult = SlowOracleResult | FastOracleResult;

export function measureOracle(measurement: OracleMeasurement): Promise<OracleResult> {
  if (measurement.speed === "slow")
    return measureSlowOracle(measurement.kind, { ...SLOW, strings: measurement.strings });
  const { kind, training, iterations } = measurement;
  return measureFastOracle(kind, { ...FAST, training, iterations });
}

export const oracleCases: CasesOf<OracleResult> = ({ quick }) => {
  const [strings, iterations] = quick ? [64, 100] : [SLOW.strings, FAST.iterations];
  return [
    ...(["json-lines", "plain-lines"] as const).map((kind) => ({
      section: "oracles" as const,
      setting: `${kind} program of ${SLOW.milliseconds} ms, ${SLOW.workers} processes, ${strings} strings`,
      measurements: [{ section: "oracles", speed: "slow", kind, strings } as const],
      figures(results: readonly OracleResult[]) {
        const [{ seconds, ideal, ratio }] = results as readonly SlowOracleResult[];
        return {
          references: `ideal ${ideal.toFixed(2)} s`,
          measured: `${seconds.toFixed(2)} s, ${ratio.toFixed(3)} times the ideal`,
          required: `at most ${MOST_RATIO} times the ideal`,
          met: quick ? null : ratio <= MOST_RATIO,
        };
      },
    })),
    ...TRAININGS.flatMap((training) =>
      FAST_ORACLES.map((kind) => ({
        section: "oracles" as const,
        setting: `${kind === "function" ? kind : `${kind} program`} of ${FAST.microseconds} µs, ${training}`,
        measurements: [{ section: "oracles", speed: "fast", kind, training, iterations } as const],
        figures(results: readonly OracleResult[]) {
          const [{ iteration, strings, scoring, bare, oracle, disk, added, share }] =
            results as readonly FastOracleResult[];
          const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
          // A design asks for few strings per iteration, so that all of it must be small. In the other training every iteration
          // waits for a whole batch: what counts there is what this library adds to the program and to the disk.
          const ours = training === "design" ? share : added - disk / iteration;
          return {
            references: `${strings.toFixed(1)} strings per iteration; ${FAST.microseconds} µs × strings ${oracle.toFixed(2)} ms, the oracle without this library ${bare.toFixed(2)} ms, the disk ${disk.toFixed(2)} ms`,
            measured: `iteration ${iteration.toFixed(2)} ms, scoring ${scoring.toFixed(2)} ms; all but ${FAST.microseconds} µs × strings ${percent(share)} of the iteration, added by this library ${percent(added)}, of which the disk ${percent(disk / iteration)}`,
            required:
              training === "design"
                ? `all but ${FAST.microseconds} µs × strings less than ${100 * MOST_SHARE} %`
                : `added by this library, without the disk, less than ${100 * MOST_SHARE} %`,
            met: quick ? null : ours < MOST_SHARE,
          };
        },
      })),
    ),
  ];
};
