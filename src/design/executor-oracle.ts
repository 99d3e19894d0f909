// An oracle whose batches are units of an executor, and so can be scored on other machines.
//
// Batches take about a second each: the first ones are small, and the later ones follow the speed of the oracle. A batch that
// takes much longer than that is sent a second time, once, and the first answer counts.

import { isObject } from "../executor/json-text.ts";
import type { Executor, Json, Unit } from "../executor/unit.ts";
import { type Answer, type Oracle, OracleError } from "../oracle/oracle.ts";

export interface ExecutorOracleOptions {
  readonly executor: Executor;
  /** SHA-256 of the problem file, whose oracle scores the strings. */
  readonly problem: string;
  readonly label: string;
  readonly version: string;
  /** Batches at a time. */
  readonly concurrency: number;
}

/** Seconds that a batch should take. */
const BATCH_SECONDS = 1;
const [FIRST_BATCH, LARGEST_BATCH] = [4, 500];
/** A batch is sent again after this many times the expected time, and not before this many milliseconds. */
const STRAGGLER = { times: 5, least: 10_000 };

/** The unit that scores some strings. `copy` tells a second attempt from the first. */
export function oracleUnit(problem: string, strings: readonly string[], copy = 0): Unit {
  return { kind: "oracle-batch", settings: { strings, copy }, inputs: { problem } };
}

export function executorOracle(options: ExecutorOracleOptions): Oracle {
  const { executor, problem, label, version, concurrency } = options;
  /** Seconds per string; null before the first answer. */
  let speed: number | null = null;
  const measure = (record: Json, strings: number) => {
    const seconds = isObject(record) ? record.seconds : undefined;
    if (typeof seconds !== "number" || !(seconds >= 0)) return;
    const each = seconds / strings;
    speed = speed === null ? each : 0.7 * speed + 0.3 * each;
  };

  async function ask(
    strings: readonly string[],
    copy: number,
    signal: AbortSignal,
  ): Promise<readonly Answer[]> {
    let answers: readonly Answer[] | null = null;
    let failure: string | null = null;
    await executor.run(
      [oracleUnit(problem, strings, copy)],
      (event) => {
        if (event.kind === "failed") failure = event.message;
        if (event.kind !== "finished") return;
        measure(event.records[0], strings.length);
        answers = answersIn(event.records[0], strings);
      },
      signal,
    );
    signal.throwIfAborted();
    if (answers === null) throw new OracleError(failure ?? "no worker answered");
    return answers;
  }

  return {
    label,
    version,
    concurrency,
    get batch() {
      if (speed === null) return FIRST_BATCH;
      return Math.min(Math.max(Math.round(BATCH_SECONDS / Math.max(speed, 1e-6)), 1), LARGEST_BATCH);
    },
    async score(strings, signal = new AbortController().signal) {
      const isOver = new AbortController();
      const either = AbortSignal.any([signal, isOver.signal]);
      const expected = 1000 * (speed ?? 0) * strings.length;
      let timer: NodeJS.Timeout | undefined;
      const second = new Promise<readonly Answer[]>((resolve, reject) => {
        if (speed === null) return; // nothing is known about what is long
        timer = setTimeout(
          () => ask(strings, 1, either).then(resolve, reject),
          Math.max(STRAGGLER.times * expected, STRAGGLER.least),
        );
      });
      try {
        return await Promise.race([ask(strings, 0, either), second]);
      } finally {
        clearTimeout(timer);
        isOver.abort();
        second.catch(() => {});
      }
    },
    async close() {},
  };
}

/** The answers of a record, in the order of the strings. Throws an OracleError if one is missing: an answer names its string. */
function answersIn(record: Json | undefined, strings: readonly string[]): readonly Answer[] {
  const given = isObject(record) && isObject(record.answers) ? record.answers : {};
  return strings.map((string) => {
    const answer = Object.hasOwn(given, string) ? given[string] : undefined;
    if (isObject(answer)) {
      const { score, uncertainty, values, failure } = answer;
      if (typeof score === "number") {
        return {
          score,
          ...(typeof uncertainty === "number" && { uncertainty }),
          ...(Array.isArray(values) && { values: values as readonly number[] }),
        };
      }
      if (typeof failure === "string") return { failure };
    }
    throw new OracleError(`a worker gave no answer for ${JSON.stringify(string)}`);
  });
}
