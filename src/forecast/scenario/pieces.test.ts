// Gaps longer than a law reaches, on a small chain: what stands in them by forward and backward probabilities.

import { expect, test } from "vitest";
import { totalVariation } from "../../gfn/evaluate/distances.ts";
import { autoregression, logOf } from "../verify/processes.ts";
import { piecesOf } from "./gaps.ts";
import { givenContext } from "./given.ts";
import { chainContext, chainLaw } from "./law.ts";
import { fillInPieces, type PiecesOptions } from "./pieces.ts";

const [K, H, ROWS] = [4, 4, 6];
const [START, RIGHT] = [1, 3];
/** Values change slowly, so that what follows is felt far back. */
const P = autoregression(K, 0.9, 0.6, 2);
/** The law reaches one step beyond the first piece, which so sees one token of the last. */
const REACH = H + 1;
const tables = Array.from({ length: REACH }, () => logOf(P));
const law = chainLaw(K, REACH);
const tuned = { iterations: 96, seed: 4, samples: 2000, branches: 400 };

/** What is known of the steps of the gap, −1 where nothing is; the step after it is `RIGHT`, and the next is not known. */
function filled(known: readonly number[], options: PiecesOptions) {
  const pieces = piecesOf(ROWS, H);
  const tokens = [...known, RIGHT, -1];
  const isKnown = (some: readonly number[]) => some.some((token) => token >= 0);
  const parts = pieces.map(({ offset, rows }) => {
    const after = tokens.slice(offset + rows, offset + REACH);
    return { inside: known.slice(offset, offset + rows), after: isKnown(after) ? after : [] };
  });
  return fillInPieces(
    {
      law,
      gaps: ["gap"],
      pieces: parts.map(({ inside, after }) => ({
        steps: inside.length,
        follows: after.length,
        given: isKnown(inside),
      })),
      contexts: async (k, paths) =>
        paths.map(({ numbers }) => {
          const { inside, after } = parts[k];
          const context = chainContext(K, numbers.at(-1) ?? START, tables);
          const seen = isKnown(inside) ? givenContext(context, inside, K) : context;
          const oneHot = Float32Array.from(
            { length: after.length * K },
            (_, i) => +(after[Math.floor(i / K)] === i % K),
          );
          const whole = after.length > 0 ? { ...seen, inputs: { ...seen.inputs, after: oneHot } } : seen;
          return { ...whole, logInside: 0, logBeyond: 0 };
        }),
    },
    options,
  );
}

/** Exact marginals of all steps, and log of the probability of all that is known. */
function forwardBackward(known: readonly number[]) {
  const allowed = (t: number, x: number) => (known[t] < 0 || known[t] === x ? 1 : 0);
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
  ["nothing is known", [-1, -1, -1, -1, -1, -1]],
  ["some tokens are known", [-1, 2, -1, -1, 1, -1]],
])(
  "a gap longer than the law reaches is filled as forward and backward probabilities say where %s in it",
  async (_, known) => {
    const [{ paths, report }] = await filled(known, tuned);
    const { marginals, logZ } = forwardBackward(known);
    expect(paths).toHaveLength(2000);
    expect(Math.abs(report.logZ - logZ)).toBeLessThan(4 * report.relativeError);
    expect(report.relativeError).toBeLessThan(0.2);
    expect(report.effective).toBeGreaterThan(50);
    marginals.forEach((exact, t) => {
      const shares = new Float64Array(K);
      for (const path of paths) shares[path[t]] += 1 / paths.length;
      expect(totalVariation(exact, shares)).toBeLessThan(0.1);
    });
    // Without what follows the gap, its first piece would be far from this.
    expect(totalVariation(marginals[3], lawAt(3))).toBeGreaterThan(0.3);
  },
);

test("the same seed and iterations fill a long gap alike", async () => {
  const few = { iterations: 2, seed: 4, samples: 8, branches: 6 };
  const fill = async () => (await filled([-1, 2, -1, -1, -1, -1], few))[0].paths;
  const paths = await fill();
  expect(paths).toHaveLength(8);
  expect(await fill()).toEqual(paths);
});

/** The chain's own marginal of a step, from the left alone. */
function lawAt(t: number): Float64Array {
  let masses = Float64Array.from({ length: K }, (_, x) => P[START * K + x]);
  for (let step = 0; step < t; step++) {
    masses = masses.map((_, x) => masses.reduce((sum, mass, y) => sum + mass * P[y * K + x], 0));
  }
  return masses;
}
