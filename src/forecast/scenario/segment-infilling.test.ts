// Gaps longer than the horizon, on a small Markov chain, compared with the forward-backward algorithm.

import { expect, test } from "vitest";
import { markovChain, markovChainContext } from "../../../test/support/markov-chain.ts";
import { totalVariation } from "../../math/distances.ts";
import { discretisedAutoregression, logarithms } from "../verify/processes.ts";
import { segmentsOf } from "./gaps.ts";
import { partiallyObservedContext } from "./partially-observed.ts";
import { infillSegments, type SegmentInfillOptions } from "./segment-infilling.ts";

const [K, H, ROWS] = [4, 4, 6];
const [START, RIGHT] = [1, 3];
/** Values change slowly, so that observations influence steps long before them. */
const P = discretisedAutoregression(K, 0.9, 0.6, 2);
/**
 * The distribution covers one step after the first segment, so that this segment depends on one token of the last
 * segment.
 */
const REACH = H + 1;
const tables = Array.from({ length: REACH }, () => logarithms(P));
const distribution = markovChain(K, REACH);
const fullOptions = { iterations: 96, seed: 4, samples: 2000, particles: 400 };

/** Fills a gap. `observed` has the tokens of its steps, −1 if missing. `RIGHT` is the token after the gap. */
function infill(observed: readonly number[], options: SegmentInfillOptions) {
  const segments = segmentsOf(ROWS, H);
  const tokens = [...observed, RIGHT, -1];
  const isObserved = (some: readonly number[]) => some.some((token) => token >= 0);
  const parts = segments.map(({ offset, rows }) => {
    const after = tokens.slice(offset + rows, offset + REACH);
    return { inside: observed.slice(offset, offset + rows), after: isObserved(after) ? after : [] };
  });
  return infillSegments(
    {
      distribution,
      gaps: ["gap"],
      segments: parts.map(({ inside, after }) => ({
        steps: inside.length,
        stepsAfter: after.length,
        observedInside: isObserved(inside),
      })),
      contexts: async (k, paths) =>
        paths.map(({ values }) => {
          const { inside, after } = parts[k];
          const context = markovChainContext(K, values.at(-1) ?? START, tables);
          const withInside = isObserved(inside) ? partiallyObservedContext(context, inside, K) : context;
          const oneHot = Float32Array.from(
            { length: after.length * K },
            (_, i) => +(after[Math.floor(i / K)] === i % K),
          );
          const withAfter =
            after.length > 0
              ? { ...withInside, inputs: { ...withInside.inputs, after: oneHot } }
              : withInside;
          return { ...withAfter, logDensityInside: 0, logDensityAfter: 0 };
        }),
    },
    options,
  );
}

/** Exact marginals of all steps, and the log-probability of all observations. */
function forwardBackward(observed: readonly number[]) {
  const allowed = (t: number, x: number) => (observed[t] < 0 || observed[t] === x ? 1 : 0);
  const states = Array.from({ length: K }, (_, x) => x);
  const forward = [states.map((x) => allowed(0, x) * P[START * K + x])];
  for (let t = 1; t < ROWS; t++) {
    forward.push(
      states.map((x) => allowed(t, x) * states.reduce((sum, y) => sum + forward[t - 1][y] * P[y * K + x], 0)),
    );
  }
  let backward = states.map((x) => P[x * K + RIGHT]);
  const marginals: Float64Array[] = [];
  for (let t = ROWS - 1; t >= 0; t--) {
    const both = states.map((x) => forward[t][x] * backward[x]);
    const sum = both.reduce((total, mass) => total + mass);
    marginals.unshift(Float64Array.from(both, (mass) => mass / sum));
    if (t === 0) return { marginals, logZ: Math.log(sum) };
    backward = states.map((x) =>
      states.reduce((total, y) => total + P[x * K + y] * allowed(t, y) * backward[y], 0),
    );
  }
  throw new Error("internal: a gap has steps");
}

test.each([
  ["nothing is observed", [-1, -1, -1, -1, -1, -1]],
  ["some tokens are observed", [-1, 2, -1, -1, 1, -1]],
])("a gap longer than the horizon has the exact marginals if %s in it", async (_, observed) => {
  const [{ paths, report }] = await infill(observed, fullOptions);
  const { marginals, logZ } = forwardBackward(observed);
  expect(paths).toHaveLength(2000);
  expect(Math.abs(report.logZ - logZ)).toBeLessThan(4 * report.relativeError);
  expect(report.relativeError).toBeLessThan(0.2);
  expect(report.effectiveSampleSize).toBeGreaterThan(50);
  marginals.forEach((exact, t) => {
    const shares = new Float64Array(K);
    for (const path of paths) shares[path[t]] += 1 / paths.length;
    expect(totalVariation(exact, shares)).toBeLessThan(0.1);
  });
  // The marginals of the chain without the observations are far from the exact ones.
  expect(totalVariation(marginals[3], chainMarginal(3))).toBeGreaterThan(0.3);
});

test("the same seed and iterations give the same paths in a long gap", async () => {
  const few = { iterations: 2, seed: 4, samples: 8, particles: 6 };
  const fill = async () => (await infill([-1, 2, -1, -1, -1, -1], few))[0].paths;
  const paths = await fill();
  expect(paths).toHaveLength(8);
  expect(await fill()).toEqual(paths);
});

/** The marginal of a step of the chain without any observations. */
function chainMarginal(t: number): Float64Array {
  let marginal = Float64Array.from({ length: K }, (_, x) => P[START * K + x]);
  for (let step = 0; step < t; step++) {
    marginal = marginal.map((_, x) =>
      marginal.reduce((sum, probability, y) => sum + probability * P[y * K + x], 0),
    );
  }
  return marginal;
}
