import { expect, test } from "vitest";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { defaultSettings } from "../training/defaults.ts";
import type { ExactEvaluationEvent } from "../training/events.ts";
import { train } from "../training/train.ts";

const environment = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
const scores = Float64Array.from({ length: 16 }, (_, cell) => 1 + cell);
/** Every cell is a mode, so that recall counts the distinct samples. */
const modes = { scores, modes: [...scores.keys()], decode: String };

async function evaluations(options: { samples?: number; modes?: typeof modes }) {
  const settings = {
    ...defaultSettings(environment, { hidden: [8] }),
    environment,
    scores,
    seed: 3,
    batch: 8,
  };
  const events: ExactEvaluationEvent[] = [];
  for await (const event of train({ ...settings, iterations: 2, ...options })) {
    if (event.kind === "evaluation" && event.exact) events.push({ ...event, seconds: 0 });
  }
  return events;
}

test("an exact evaluation counts modes among samples from the exact distribution", async () => {
  const one = await evaluations({ samples: 1, modes });
  expect(one.map((event) => event.modes?.recall)).toEqual(one.map(() => 1 / 16));
  const many = await evaluations({ samples: 1e9, modes });
  expect(many.at(-1)?.modes?.recall).toBeGreaterThan(0.9);
  // Counting modes changes nothing else.
  const plain = await evaluations({});
  expect(plain).toEqual(many.map(({ modes: _, ...event }) => event));
});
