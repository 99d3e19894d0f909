// The unit that scores a batch of strings by the oracle of a problem file. Only a worker whose own command line allows the
// program of that file gets it. The oracle stays open between units.

import { problemOracle } from "../design/problem-oracle.ts";
import type { UnitKind } from "../executor/unit-kind.ts";
import { UserError } from "../issues.ts";
import { DeadOracleError, type Oracle } from "../oracle/oracle.ts";
import { readProblem } from "../problem/read-problem.ts";

const [MOST_STRINGS, LONGEST_STRING] = [10_000, 100_000];

/** Oracles of this process by the path of their problem file. */
const opened = new Map<string, Promise<Oracle>>();

export const oracleKind: UnitKind = {
  problem({ strings, copy, ...rest }) {
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) return `there is no setting ${JSON.stringify(unknown)}`;
    if (copy !== 0 && copy !== 1) return "`copy` must be 0 or 1";
    const isString = (value: unknown) => typeof value === "string" && value.length <= LONGEST_STRING;
    return Array.isArray(strings) &&
      strings.length > 0 &&
      strings.length <= MOST_STRINGS &&
      strings.every(isString)
      ? null
      : `\`strings\` must be 1 to ${MOST_STRINGS} texts`;
  },
  engine: () => null,
  async *run({ strings }, { input, pause }) {
    const all = strings as readonly string[];
    const oracle = await oracleOf(input("problem"));
    const start = performance.now();
    const answers: Record<string, object> = {};
    const size = Math.max(1, oracle.batch);
    const batches = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
      all.slice(i * size, (i + 1) * size),
    );
    // As many batches at a time as the oracle can answer.
    const lane = async () => {
      for (let batch = batches.shift(); batch && !pause.aborted; batch = batches.shift()) {
        const given = await oracle.score(batch, pause);
        for (const [i, string] of batch.entries()) answers[string] = given[i];
      }
    };
    try {
      await Promise.all(Array.from({ length: oracle.concurrency }, lane));
    } catch (error) {
      // The next unit asks a new one: what is wrong now may be mended then.
      if (error instanceof DeadOracleError) await forget(input("problem"), oracle);
      if (!pause.aborted) throw error;
    }
    if (pause.aborted) yield { kind: "paused" };
    else
      yield {
        kind: "record",
        record: { answers: answers as never, seconds: (performance.now() - start) / 1000 },
      };
  },
};

function oracleOf(file: string): Promise<Oracle> {
  const oracle = opened.get(file) ?? open(file);
  opened.set(file, oracle);
  oracle.catch(() => opened.delete(file));
  return oracle;
}

async function forget(file: string, oracle: Oracle): Promise<void> {
  opened.delete(file);
  await oracle.close();
}

async function open(file: string): Promise<Oracle> {
  const { problem } = await readProblem(file);
  const { oracle } = await problemOracle(problem);
  if (!oracle) throw new UserError(`${file} has no oracle`);
  return oracle;
}
