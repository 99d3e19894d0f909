import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { sampledMeasures } from "./sampled-evaluator.ts";

const texts = ["AAAA", "AAAC", "AAAA", "GGGG"];
const scores = Float64Array.of(4, 3, 4, 1);

test("samples are counted, averaged and told apart", () => {
  expect(sampledMeasures({ texts, scores })).toEqual({
    samples: 4,
    distinct: 3,
    meanScore: 3,
    topK: { count: 3, mean: 8 / 3, median: 3, max: 4, diversity: (1 + 4 + 4) / 3 },
    modes: 2,
    novelty: null,
    tv: null,
    floor: null,
  });
});

test("novelty is the distance of the distinct ones from what was known", () => {
  expect(sampledMeasures({ texts, scores, known: ["AAAA", "AAGG"] }).novelty).toBe((0 + 1 + 2) / 3);
  expect(sampledMeasures({ texts, scores, known: [] }).novelty).toBeNull();
});

test("novelty is that of the hundred best", () => {
  const many = Array.from({ length: 200 }, (_, i) => i.toString(2).padStart(8, "0") + (i < 100 ? "" : "x"));
  const better = Float64Array.from(many, (_, i) => (i < 100 ? 2 : 1));
  const measures = sampledMeasures({ texts: many, scores: better, known: many.slice(0, 100) });
  expect(measures.novelty).toBe(0);
  expect(measures.topK.count).toBe(100);
});

test("total variation needs numbers and a target, and comes with its floor", () => {
  const target = Float64Array.of(0.5, 0.25, 0.25);
  const terminals = [0, 1, 0, 2];
  expect(sampledMeasures({ texts, scores, terminals, target }).tv).toBe(0);
  expect(sampledMeasures({ texts, scores, terminals, target }).floor).toBeGreaterThan(0.1);
  expect(sampledMeasures({ texts, scores, terminals }).tv).toBeNull();
  expect(sampledMeasures({ texts, scores, target }).floor).toBeNull();
});

test("ten thousand samples are no burden", () => {
  const stream = RandomStream.fromSeed(1);
  const draw = () => Array.from({ length: 40 }, () => "ACDEFGHIKL"[stream.integer(10)]).join("");
  const many = Array.from({ length: 10_000 }, draw);
  const measures = sampledMeasures({
    texts: many,
    scores: Float64Array.from(many, () => stream.uniform()),
    known: many.slice(0, 500),
  });
  expect(measures.distinct).toBe(10_000);
  expect(measures.modes).toBe(100);
});

test("no samples, and scores that are not one each, are errors that say so", () => {
  expect(() => sampledMeasures({ texts: [], scores: new Float64Array(0) })).toThrow("there are no sequences");
  expect(() => sampledMeasures({ texts, scores: new Float64Array(3) })).toThrow("4 sequences have 3 rewards");
});
