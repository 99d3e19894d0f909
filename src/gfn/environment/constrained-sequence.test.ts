// Strings under constraints compared with all strings, for random constraints and every kind of noise. The rest of the
// contract is tested in test/constrained-environments.test.ts.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import {
  type RandomConstraints,
  randomConstraints,
  strings,
} from "../../../test/support/random-constraints.ts";
import { violationOf } from "../../constraints/index.ts";
import { RandomStream } from "../../engine/index.ts";
import { UserError } from "../../issues.ts";
import { rollout, trajectoryIndices, uniformsPerStep } from "../sampling/rollout.ts";
import {
  type ConstrainedSequenceEnvironment,
  constrainedSequenceEnvironment,
  type EnumerableConstrainedEnvironment,
  withTemplate,
} from "./constrained-sequence.ts";
import { checkEnumeration } from "./enumeration.ts";
import type { Environment } from "./environment.ts";
import type { LetterNoise } from "./letter-noise.ts";

const NOISES = ["none", "stick within", "stick free", "matrix within", "matrix free"] as const;

function noiseOf(
  name: (typeof NOISES)[number],
  letters: number,
  length: number,
  stream: RandomStream,
): LetterNoise {
  if (name === "none") return { kind: "none" };
  const [kind, mode] = name.split(" ") as ["stick" | "matrix", "within" | "free"];
  if (kind === "stick") return { kind, stick: 0.3, mode };
  const matrix = () =>
    Array.from({ length: letters }, (_, a) => {
      // Some letters cannot be confused.
      const weights = Array.from({ length: letters }, (_, c) =>
        a === c ? 2 : stream.integer(2) * stream.uniform(),
      );
      const sum = weights.reduce((x, y) => x + y);
      return weights.map((weight) => weight / sum);
    });
  return stream.integer(2) === 0
    ? { kind: "substitution", matrix: matrix(), mode }
    : { kind: "substitution", matrix: Array.from({ length }, matrix), mode };
}

/** Random constraints that some string meets, with a noise of each kind. */
const cases = Array.from({ length: 60 }, (_, i) => {
  const stream = RandomStream.fromSeed(2).split(`case ${i}`);
  const { space, constraints, template } = randomConstraints(stream);
  const noise = noiseOf(NOISES[i % NOISES.length], space.tokens.length, space.length.max, stream);
  return { space, constraints, template, noise };
}).filter(({ space, constraints }) => legalStrings({ space, constraints }).length > 0);

function legalStrings({ space, constraints }: Pick<RandomConstraints, "space" | "constraints">): number[][] {
  return strings(space).filter((string) => violationOf(space, constraints, string) === null);
}

/** The strings that can result if noise writes any letter wherever some letter may be intended: those that are legal, and
 * those that have no legal completion. */
function resultsOfFreeNoise(options: Pick<RandomConstraints, "space" | "constraints">): number[][] {
  const legal = legalStrings(options).map((string) => string.join(""));
  const isDead = (prefix: string) => !legal.some((string) => string.startsWith(prefix));
  const continues = (prefix: string) =>
    isDead(prefix) || legal.some((string) => string.length > prefix.length && string.startsWith(prefix));
  return strings(options.space).filter((string) => {
    const text = string.join("");
    const isWritten = string.every((_, i) => continues(text.slice(0, i)));
    return isWritten && (legal.includes(text) || isDead(text));
  });
}

function enumerable(options: Parameters<typeof constrainedSequenceEnvironment>[0]) {
  return constrainedSequenceEnvironment(options) as EnumerableConstrainedEnvironment;
}

/** Trajectories under a uniform policy: what all steps have in common with and without an enumeration. */
function observed(environment: Environment, batch: number) {
  const T = environment.maxSteps;
  const shape = [T, batch, uniformsPerStep(environment)];
  const data = RandomStream.fromSeed(9).fillUniform(new Float32Array(shape.reduce((a, b) => a * b)));
  return evaluate(
    ({ uniform }) => {
      const trajectories = rollout(
        environment,
        (state) => np.zeros([state.index.shape[0], environment.actions]),
        uniform,
      );
      const { states, allowed } = trajectories;
      const stack = (arrays: np.Array[]) => np.concatenate(arrays, 0);
      return {
        ...trajectoryIndices(trajectories),
        features: stack(states.map((state) => state.features)),
        running: stack(states.map((state) => state.running)),
        allowed: stack(allowed.map((mask) => mask.astype(np.float32))),
        backward: stack(
          allowed.map((_, t) =>
            np.broadcastTo(environment.backwardAllowed(states[t + 1], t).astype(np.float32), [
              batch,
              environment.backwardActions,
            ]),
          ),
        ),
      };
    },
    { uniform: { shape, data } },
  );
}

/** Texts of the objects of observed trajectories. */
function textsOf(environment: Environment, batch: number): string[] {
  const { outcomes } = observed(environment, batch);
  return Array.from({ length: batch }, (_, row) =>
    environment.describe(
      Array.from({ length: environment.maxSteps }, (_, t) => outcomes[t * batch + row]).filter((c) => c >= 0),
    ),
  );
}

describe("for random constraints", () => {
  test("objects are the legal strings in lexicographic order, and under free noise the illegal ones that can result", () => {
    for (const options of cases) {
      const environment = enumerable(options);
      const enumeration = environment.enumerate();
      expect(() => checkEnumeration(environment.name, enumeration)).not.toThrow();
      const objects = Array.from({ length: enumeration.terminals }, (_, terminal) =>
        environment.sampleTrajectoryTo(terminal, RandomStream.fromSeed(0)),
      );
      const legal = objects.filter((object) => environment.isLegal(environment.describe(object)));
      expect(legal).toEqual(legalStrings(options));
      const isFree = options.noise.kind !== "none" && options.noise.mode === "free";
      if (!isFree) expect(objects).toEqual(legal);
      if (isFree && options.noise.kind === "stick") expect(objects).toEqual(resultsOfFreeNoise(options));
      expect(Array.from(environment.illegalObjects())).toEqual(
        objects.map((object) => +!environment.isLegal(environment.describe(object))),
      );
    }
  });

  test("every sampled string is legal, unless noise is free", () => {
    for (const options of cases) {
      if (options.noise.kind !== "none" && options.noise.mode === "free") continue;
      const environment = constrainedSequenceEnvironment(options);
      for (const text of textsOf(environment, 64)) expect(environment.problemWith(text)).toBeNull();
    }
  });

  test("kernels of legal letters sum to one", () => {
    for (const { ...options } of cases) {
      const { steps } = constrainedSequenceEnvironment(options);
      const A = steps.letters;
      for (let node = 0; node < steps.nodes; node++) {
        const kernel = steps.kernel(node);
        for (let a = 0; a < A; a++) {
          const sum = kernel.subarray(a * A, (a + 1) * A).reduce((x, y) => x + y, 0);
          expect(sum).toBeCloseTo(steps.allowed[node * A + a], 12);
        }
      }
    }
  });

  test("steps are the same with and without an enumeration", () => {
    for (const options of cases.slice(0, 25)) {
      const [short, long] = [true, false].map((isEnumerable) =>
        observed(constrainedSequenceEnvironment({ ...options, enumerable: isEnumerable }), 16),
      );
      expect(long).toEqual(short);
    }
  });

  test("a template restricts what is written, and states keep their indices", () => {
    let tested = 0;
    for (const { template, ...options } of cases) {
      if (options.noise.kind !== "none" && options.noise.mode === "free") continue;
      const environment = constrainedSequenceEnvironment(options);
      const matching = legalStrings(options).filter(
        (s) => violationOf(options.space, [template], s) === null,
      );
      if (matching.length === 0) {
        expect(() => withTemplate(environment, template)).toThrow(UserError);
        continue;
      }
      tested++;
      const restricted = withTemplate(environment, template);
      const texts = matching.map((string) => environment.describe(string));
      for (const text of textsOf(restricted, 32)) expect(texts).toContain(text);
      for (const string of matching) expect(restricted.indexOf?.(string)).toBe(environment.indexOf?.(string));
    }
    expect(tested).toBeGreaterThan(10);
  });

  test("uniform objects are legal", () => {
    const stream = RandomStream.fromSeed(4);
    for (const options of cases) {
      const environment = constrainedSequenceEnvironment(options);
      for (let i = 0; i < 5; i++) {
        expect(environment.isLegal(environment.describe(environment.uniformObject(stream)))).toBe(true);
      }
    }
  });
});

describe("long strings", () => {
  const letters = Array.from({ length: 32 }, (_, i) => String.fromCharCode(65 + i));
  test.each([
    [50, letters.slice(0, 20)],
    [256, letters],
  ])("of %i letters have small tables", (length, tokens) => {
    const environment: ConstrainedSequenceEnvironment = constrainedSequenceEnvironment({
      space: { tokens, length: { min: length, max: length } },
      constraints: [
        { kind: "homopolymer", longest: 3 },
        { kind: "forbid", motif: [0, 1, 2] },
      ],
      noise: { kind: "stick", stick: 0.1, mode: "within" },
    });
    expect("enumerate" in environment).toBe(false);
    expect(environment.steps.nodes).toBeLessThan(length * (3 * tokens.length + 3));
    expect(Array.from(environment.kernelAt!([0, 1]).subarray(0, tokens.length))).toHaveLength(tokens.length);
    expect(environment.kernelAt!([0, 1])[2]).toBe(0);
  });
});

test("texts that are no objects are refused with the reason", () => {
  const options = {
    space: { tokens: ["A", "C", "G", "T"], length: { min: 4, max: 4 } },
    constraints: [{ kind: "forbid", motif: [2, 2], name: "no GG" }],
  } as const;
  const stick = (mode: "within" | "free"): LetterNoise => ({ kind: "stick", stick: 0.1, mode });
  const within = constrainedSequenceEnvironment({ ...options, noise: stick("within") });
  const free = constrainedSequenceEnvironment({ ...options, noise: stick("free") });
  const stream = RandomStream.fromSeed(0);
  expect(within.name).toBe("strings of 4 letters out of ACGT under 1 constraint");
  expect(() => within.trajectoryOf("AGGT", stream)).toThrow(
    `${within.name}: "AGGT" has a forbidden motif at position 2 (no GG)`,
  );
  expect(() => within.trajectoryOf("AGT", stream)).toThrow('"AGT" has 3 tokens instead of 4 tokens');
  expect(() => within.trajectoryOf("AGXT", stream)).toThrow('"AGXT" has "X" at position 3');
  expect(free.trajectoryOf("AGGT", stream)).toEqual([0, 2, 2, 3]);
  expect([free.isLegal("AGGT"), free.isLegal("AGTT"), free.isLegal("AG")]).toEqual([false, true, false]);
  expect(() => free.trajectoryOf("AGG", stream)).toThrow('"AGG" has 3 tokens instead of 4 tokens');
});

test("mistakes in the noise are refused with one sentence", () => {
  const space = { tokens: ["A", "B"], length: { min: 2, max: 2 } };
  const messageOf = (noise: LetterNoise) => {
    try {
      constrainedSequenceEnvironment({ space, constraints: [], noise });
    } catch (error) {
      return (error as UserError).message;
    }
    return "";
  };
  const substitution = (matrix: number[][] | number[][][]): LetterNoise => ({
    kind: "substitution",
    matrix,
    mode: "within",
  });
  expect(messageOf({ kind: "stick", stick: 1, mode: "within" })).toBe(
    "noise.stick: must be a number in [0, 1), got 1",
  );
  expect(messageOf({ kind: "stick", stick: 0.5, mode: "wild" as "free" })).toBe(
    'noise.mode: must be "within" or "free", got "wild"',
  );
  expect(messageOf(substitution([[1]]))).toBe(
    "noise.matrix: must have 2 rows of 2 probabilities, one for each letter, got 1 rows",
  );
  expect(
    messageOf(
      substitution([
        [0.5, 0.4],
        [0, 1],
      ]),
    ),
  ).toBe("noise.matrix: must have rows that sum to 1, got 0.9 in row 1");
  expect(
    messageOf(
      substitution([
        [1, 0],
        [1, 0],
      ]),
    ),
  ).toBe("noise.matrix: must give every letter a chance to be written as intended, got 0 in row 2");
  expect(
    messageOf(
      substitution([
        [
          [1, 0],
          [0, 1],
        ],
      ]),
    ),
  ).toBe("noise.matrix: must have one matrix for each of the 2 positions, got 1");
});
