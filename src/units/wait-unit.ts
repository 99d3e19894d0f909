// A unit that only waits, which shows whether a queue works and what it costs: `gflownet queue test`.

import { setTimeout as sleep } from "node:timers/promises";
import type { Unit } from "../executor/unit.ts";
import type { UnitKind } from "../executor/unit-kind.ts";

const LONGEST_SECONDS = 3600;

/** `name` tells units apart that wait equally long. */
export function waitUnit(name: string, seconds: number): Unit {
  return { kind: "wait", settings: { name, time: seconds } };
}

export const waitKind: UnitKind = {
  problem({ name, time, ...rest }) {
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) return `there is no setting ${JSON.stringify(unknown)}`;
    if (typeof name !== "string") return "`name` must be a text";
    const isTime = typeof time === "number" && time >= 0 && time <= LONGEST_SECONDS;
    return isTime ? null : `\`time\` must be a number from 0 to ${LONGEST_SECONDS}`;
  },
  engine: () => null,
  async *run({ name, time }, { pause }) {
    if ((time as number) > 0) {
      await sleep(1000 * (time as number), undefined, { signal: pause }).catch(() => {});
      if (pause.aborted) {
        yield { kind: "paused" };
        return;
      }
    }
    yield { kind: "record", record: { name } };
  },
};
