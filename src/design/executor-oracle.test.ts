// Answers of workers: scores, uncertainties and the values of several objectives arrive as they were sent.

import { expect, test } from "vitest";
import type { Executor, Json } from "../executor/unit.ts";
import { executorOracle } from "./executor-oracle.ts";

const ANSWERS = {
  AC: { score: 0.5, values: [0.25, 3] },
  GG: { score: 1, uncertainty: 0.1 },
  TT: { failure: "its cost must be a finite number, got none" },
} as const;

test("an answer keeps the values of its objectives", async () => {
  const executor = {
    async run(units: readonly unknown[], listener: (event: object) => void) {
      const record = { answers: ANSWERS, seconds: 0.1 } as unknown as Json;
      for (const _ of units) listener({ kind: "finished", records: [record] });
    },
  } as unknown as Executor;
  const oracle = executorOracle({ executor, problem: "p", label: "l", version: "v", concurrency: 1 });
  const strings = Object.keys(ANSWERS);
  expect(await oracle.score(strings)).toEqual(Object.values(ANSWERS));
});
