import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { sampleMetrics } from "./sample-metrics.ts";

const texts = ["AAAA", "AAAC", "AAAA", "GGGG"];
const scores = Float64Array.of(4, 3, 4, 1);

test("samples are counted and averaged, in total and distinct", () => {
  expect(sampleMetrics({ texts, scores })).toEqual({
    samples: 4,
    distinct: 3,
    meanScore: 3,
    topK: { count: 3, mean: 8 / 3, median: 3, max: 4, diversity: (1 + 4 + 4) / 3 },
    circles: 2,
    novelty: null,
    tv: null,
    floor: null,
  });
});

test("novelty is the mean distance of the distinct samples to the nearest known object", () => {
  expect(sampleMetrics({ texts, scores, knownObjects: ["AAAA", "AAGG"] }).novelty).toBe((0 + 1 + 2) / 3);
  expect(sampleMetrics({ texts, scores, knownObjects: [] }).novelty).toBeNull();
});

test("novelty considers the 100 best samples", () => {
  const many = Array.from({ length: 200 }, (_, i) => i.toString(2).padStart(8, "0") + (i < 100 ? "" : "x"));
  const better = Float64Array.from(many, (_, i) => (i < 100 ? 2 : 1));
  const metrics = sampleMetrics({ texts: many, scores: better, knownObjects: many.slice(0, 100) });
  expect(metrics.novelty).toBe(0);
  expect(metrics.topK.count).toBe(100);
});

test("total variation needs terminals and a target, and comes with its floor", () => {
  const target = Float64Array.of(0.5, 0.25, 0.25);
  const terminals = [0, 1, 0, 2];
  expect(sampleMetrics({ texts, scores, terminals, target }).tv).toBe(0);
  expect(sampleMetrics({ texts, scores, terminals, target }).floor).toBeGreaterThan(0.1);
  expect(sampleMetrics({ texts, scores, terminals }).tv).toBeNull();
  expect(sampleMetrics({ texts, scores, target }).floor).toBeNull();
});

test("10,000 samples are evaluated", () => {
  const stream = RandomStream.fromSeed(1);
  const draw = () => Array.from({ length: 40 }, () => "ACDEFGHIKL"[stream.integer(10)]).join("");
  const many = Array.from({ length: 10_000 }, draw);
  const metrics = sampleMetrics({
    texts: many,
    scores: Float64Array.from(many, () => stream.uniform()),
    knownObjects: many.slice(0, 500),
  });
  expect(metrics.distinct).toBe(10_000);
  expect(metrics.circles).toBe(100);
});

test("empty samples and a wrong number of scores are refused", () => {
  expect(() => sampleMetrics({ texts: [], scores: new Float64Array(0) })).toThrow(
    "there must be at least one sequence",
  );
  expect(() => sampleMetrics({ texts, scores: new Float64Array(3) })).toThrow("got 3 scores for 4 sequences");
});
