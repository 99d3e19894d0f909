// Hashes of the prefixes of long sequences: all engines agree, and they distribute prefixes evenly over a state table.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { evaluate, type HostInputs, hostInputs, specsOf } from "../../../test/support/gradients.ts";
import { runOnce } from "../../../test/support/on-engines.ts";
import { ENGINES, RandomStream } from "../../engine/index.ts";
import type { Arrays } from "../../engine/trace.ts";
import { oneHotRows } from "../../nn/one-hot.ts";
import { stateTable } from "../../nn/state-table.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "./sequence.ts";

const ALPHABET = "ACDEFGHIKLMNPQRSTVWY";
const LENGTH = 40;
const B = 32;

function environmentOf(variable: boolean) {
  return longSequenceEnvironment({ alphabet: ALPHABET, length: LENGTH, stick: 0, variable });
}

/** Random strings of fixed length, or of all lengths. */
function texts(variable: boolean): string[] {
  const stream = RandomStream.fromSeed(8);
  return Array.from({ length: B }, (_, row) => {
    const length = variable ? Math.round((row * LENGTH) / (B - 1)) : LENGTH;
    return Array.from({ length }, () => ALPHABET[stream.integer(20)]).join("");
  });
}

/** Hash of a string on the host, in 32-bit arithmetic. */
function hashOf(text: string): number {
  return [...text].reduce(
    (hash, letter) => (Math.imul(hash, 0x9e3779b1) + ALPHABET.indexOf(letter) + 1) | 0,
    0,
  );
}

/** A program that writes the strings letter by letter: indices of all prefixes, [T + 1, B], and terminals, [B]. */
function writingProgram(variable: boolean) {
  const environment = environmentOf(variable);
  const { actions, outcomes: C, maxSteps: T } = environment;
  const trajectories = texts(variable).map((text) =>
    environment.trajectoryOf(text, RandomStream.fromSeed(0)),
  );
  const paddedWith = (padding: number) =>
    Array.from({ length: T }, (_, t) => trajectories.map((outcomes) => outcomes[t] ?? padding)).flat();
  const inputs: HostInputs = {
    action: { shape: [T * B, actions], data: oneHotRows(paddedWith(variable ? actions - 1 : -1), actions) },
    outcome: { shape: [T * B, C], data: oneHotRows(paddedWith(-1), C) },
  };
  const f = (arrays: Arrays) => {
    const action = np.split(arrays.action, T, 0); // T × [B, A]
    const outcome = np.split(arrays.outcome, T, 0); // T × [B, C]
    const states = [environment.start(B)];
    for (let t = 0; t < T; t++) states.push(environment.advance(states[t], t, action[t], outcome[t]));
    return {
      index: np.concatenate(
        states.map(({ index }) => index),
        0,
      ), // [(T + 1)·B]
      terminal: environment.terminalIndex(states[T]), // [B]
    };
  };
  return { T, f, inputs };
}

describe.each([false, true])("prefixes of long strings (variable: %s)", (variable) => {
  const { T, f, inputs } = writingProgram(variable);
  const strings = texts(variable);
  const index = Array.from({ length: T + 1 }, (_, t) =>
    strings.map((text) => hashOf(text.slice(0, t))),
  ).flat();
  const terminal = strings.map(hashOf);

  test("have distinct hashes of both signs", () => {
    const prefixes = strings.flatMap((text) => Array.from({ length: T + 1 }, (_, t) => text.slice(0, t)));
    expect(new Set(index).size).toBe(new Set(prefixes).size);
    expect(Math.min(...index)).toBeLessThan(-(2 ** 30));
    expect(Math.max(...index)).toBeGreaterThan(2 ** 30);
  });

  test("have the same hashes in float64 as on the host", () => {
    const results = evaluate(f, inputs);
    expect([...results.index]).toEqual(index);
    expect([...results.terminal]).toEqual(terminal);
  });

  test.each(ENGINES)("have the same hashes on %s as on the host", async (engine) => {
    const results = await runOnce(engine, f, specsOf(inputs), hostInputs(inputs));
    expect([...results.index]).toEqual(index);
    expect([...results.terminal]).toEqual(terminal);
  });
});

test("the hash of a long string depends on its first letter", () => {
  // With the alphabet size as the multiplier, the first letter would have no effect, because 20¹⁶ = 0 modulo 2³².
  const rest = ALPHABET.repeat(2).slice(1);
  const hashes = [...ALPHABET].map((letter) => hashOf(letter + rest));
  expect(new Set(hashes).size).toBe(20);
});

describe("a state table indexed by hashes", () => {
  const rows = 512;
  const { states } = environmentOf(true);
  const module = stateTable({ states, rows, width: 1 });
  /** Each row contains its own number, so that lookups return the row number. */
  const table = { shape: [rows, 1], data: Float32Array.from({ length: rows }, (_, row) => row + 1) };
  const stream = RandomStream.fromSeed(7);
  const hashes = Array.from({ length: 8192 }, (_, i) =>
    hashOf(Array.from({ length: 8 + (i % 32) }, () => ALPHABET[stream.integer(20)]).join("")),
  );
  const inputs: HostInputs = { table, index: { shape: [hashes.length], dtype: "int32", data: hashes } };
  const f = ({ table, index }: Arrays) => ({ found: module.apply({ table }, index) });

  test("has rows for negative hashes too and distributes them evenly", () => {
    const { found } = evaluate(f, inputs);
    const counts = new Float64Array(rows);
    for (const row of found) {
      expect(Number.isInteger(row) && row >= 1 && row <= rows).toBe(true);
      counts[row - 1]++;
    }
    const uniform = counts.map(() => 1 / rows);
    expect(chiSquare(counts, uniform)).toBeLessThan(chiSquareLimit(uniform));
  });

  test.each(ENGINES)("finds the same rows on %s", async (engine) => {
    const results = await runOnce(engine, f, specsOf(inputs), hostInputs(inputs));
    expect([...results.found]).toEqual([...evaluate(f, inputs).found]);
  });
});

test("a small space has the same steps with and without an enumeration, apart from the indices", () => {
  const options = { alphabet: "AB", length: 3, stick: 0.25, variable: true };
  const [long, short] = [longSequenceEnvironment(options), sequenceEnvironment(options)];
  const { T, B } = { T: short.maxSteps, B: 16 };
  const stream = RandomStream.fromSeed(9);
  const inputs: HostInputs = {
    action: {
      shape: [T * B, 3],
      data: oneHotRows(
        Array.from({ length: T * B }, () => stream.integer(3)),
        3,
      ),
    },
    uniform: { shape: [T * B, 2], data: stream.fillUniform(new Float32Array(T * B * 2)) },
  };
  const finalStates = (environment: typeof long) =>
    evaluate((arrays) => {
      const action = np.split(arrays.action, T, 0); // T × [B, A]
      const noise = np.split(arrays.uniform, T, 0); // T × [B, 2]
      let state = environment.start(B);
      for (let t = 0; t < T; t++) {
        const outcome = environment.sampleOutcome(state, t, action[t], noise[t]); // [B, C]
        state = environment.advance(state, t, action[t], outcome);
      }
      return { features: state.features, running: state.running };
    }, inputs);
  expect(finalStates(long)).toEqual(finalStates(short));
});
