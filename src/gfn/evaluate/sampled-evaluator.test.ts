import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { sampledMeasures } from "./sampled-evaluator.ts";

const texts = ["AAAA", "AAAC", "AAAA", "GGGG"];
const rewards = Float64Array.of(4, 3, 4, 1);

test("samples are counted, averaged and told apart", () => {
  expect(sampledMeasures({ texts, rewards })).toEqual({
    samples: 4,
    distinct: 3,
    meanReward: 3,
    topK: { count: 3, mean: 8 / 3, median: 3, max: 4, diversity: (1 + 4 + 4) / 3 },
    modes: 2,
    novelty: null,
    tv: null,
    floor: null,
  });
});

test("novelty is the distance of the distinct ones from what was known", () => {
  expect(sampledMeasures({ texts, rewards, known: ["AAAA", "AAGG"] }).novelty).toBe((0 + 1 + 2) / 3);
  expect(sampledMeasures({ texts, rewards, known: [] }).novelty).toBeNull();
});

test("novelty is that of the hundred best", () => {
  const many = Array.from({ length: 200 }, (_, i) => i.toString(2).padStart(8, "0") + (i < 100 ? "" : "x"));
  const better = Float64Array.from(many, (_, i) => (i < 100 ? 2 : 1));
  const measures = sampledMeasures({ texts: many, rewards: better, known: many.slice(0, 100) });
  expect(measures.novelty).toBe(0);
  expect(measures.topK.count).toBe(100);
});

test("total variation needs numbers and a target, and comes with its floor", () => {
  const target = Float64Array.of(0.5, 0.25, 0.25);
  const terminals = [0, 1, 0, 2];
  expect(sampledMeasures({ texts, rewards, terminals, target }).tv).toBe(0);
  expect(sampledMeasures({ texts, rewards, terminals, target }).floor).toBeGreaterThan(0.1);
  expect(sampledMeasures({ texts, rewards, terminals }).tv).toBeNull();
  expect(sampledMeasures({ texts, rewards, target }).floor).toBeNull();
});

test("ten thousand samples are no burden", () => {
  const stream = RandomStream.fromSeed(1);
  const draw = () => Array.from({ length: 40 }, () => "ACDEFGHIKL"[stream.integer(10)]).join("");
  const many = Array.from({ length: 10_000 }, draw);
  const measures = sampledMeasures({
    texts: many,
    rewards: Float64Array.from(many, () => stream.uniform()),
    known: many.slice(0, 500),
  });
  expect(measures.distinct).toBe(10_000);
  expect(measures.modes).toBe(100);
});

test("no samples, and rewards that are not one each, are errors that say so", () => {
  expect(() => sampledMeasures({ texts: [], rewards: new Float64Array(0) })).toThrow(
    "there are no sequences",
  );
  expect(() => sampledMeasures({ texts, rewards: new Float64Array(3) })).toThrow(
    "4 sequences have 3 rewards",
  );
});
