import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { localMaximaOfTable } from "../../gfn/evaluate/modes.ts";
import { UserError } from "../../issues.ts";
import { hammingDistance } from "../../math/bounded-distance.ts";
import { bitSequenceTask } from "./index.ts";

test("16 bits in words of 4 are four letters out of 16, with eight modes of score 1", () => {
  const task = bitSequenceTask({ stick: 0.25 });
  expect(task.environment.length).toBe(4);
  expect(task.environment.outcomes).toBe(16);
  expect(task.scores).toHaveLength(65536);
  expect(new Set(task.modes).size).toBe(8);
  for (const mode of task.modes!) expect(task.scores[mode]).toBe(1);
  expect(task.scores.filter((score) => score === 1)).toHaveLength(8);
  expect(task.label).toBe("exp(−8 · Hamming distance to the nearest of 8 modes / 16), modes of seed 0");
});

test.each([1, 2, 20, 64])("scores depend on the Hamming distance to the nearest of %d modes", (count) => {
  const task = bitSequenceTask({ stick: 0, bits: 6, word: 3, modes: count, sharpness: 4 });
  const modes = task.modes!.map(task.decode);
  for (let terminal = 0; terminal < 64; terminal++) {
    const distance = Math.min(...modes.map((mode) => hammingDistance(task.decode(terminal), mode)));
    expect(task.scores[terminal]).toBeCloseTo(Math.exp((-4 * distance) / 6), 12);
  }
});

test("every local maximum is a mode", () => {
  const { scores, modes } = bitSequenceTask({ stick: 0, bits: 12, word: 2 });
  const maxima = localMaximaOfTable(scores, { letters: 2, length: 12, threshold: 0.999 });
  expect(maxima).toEqual([...modes!].sort((a, b) => a - b));
});

test("the modes depend on the seed", () => {
  const modes = (seed: number) => bitSequenceTask({ stick: 0, modeSeed: seed }).modes;
  expect(modes(1)).toEqual(modes(1));
  expect(modes(1)).not.toEqual(modes(2));
});

test("strings survive a round trip through text, and the letters of a terminal are its words", () => {
  const task = bitSequenceTask({ stick: 0, bits: 8, word: 4 });
  expect(task.decode(0x3a)).toBe("00111010");
  for (let terminal = 0; terminal < 256; terminal++)
    expect(task.encode(task.decode(terminal))).toBe(terminal);
  // The states before the last step are the 16 first words.
  const { targets, offsets } = task.environment.enumerate();
  expect(-1 - targets[offsets[(1 + 3) * 16 + 10]]).toBe(0x3a);
});

test("words may have up to eight bits", () => {
  expect(bitSequenceTask({ stick: 0, bits: 8, word: 8 }).environment.outcomes).toBe(256);
  expect(bitSequenceTask({ stick: 0, bits: 6, word: 6 }).environment.outcomes).toBe(64);
});

describe("invalid options and texts are refused:", () => {
  test.each([
    [{ stick: -0.1 }, "stick: must be a number in [0, 1), got -0.1"],
    [{ stick: 1 }, "stick: must be a number in [0, 1), got 1"],
    [{ stick: 0, bits: 10, word: 4 }, "bits: must be divisible by `word`, got 10 bits in words of 4"],
    [{ stick: 0, bits: 0 }, "bits: must be a whole number from 1 to 24, got 0"],
    [{ stick: 0, word: -2 }, "word: must be a whole number from 1 to 8, got -2"],
    [{ stick: 0, modes: 1.5 }, "modes: must be a whole number from 1 to 16777216, got 1.5"],
    [{ stick: 0, bits: 18, word: 9 }, "word: must be a whole number from 1 to 8, got 9"],
    [{ stick: 0, bits: 32 }, "bits: must be a whole number from 1 to 24, got 32"],
    [{ stick: 0, bits: 2, word: 1 }, "modes: must be at most the 4 strings of 2 `bits`, got 8"],
    [{ stick: 0, sharpness: 0 }, "sharpness: must be a number above 0, got 0"],
    [
      { stick: 1, word: 9 },
      "the input has 2 problems:\n  stick: must be a number in [0, 1), got 1\n  word: must be a whole number from 1 to 8, got 9",
    ],
  ])("%j", (options, message) => {
    expect(() => bitSequenceTask(options)).toThrow(UserError);
    expect(() => bitSequenceTask(options)).toThrow(message);
  });

  test.each(["0101", "0000000000000002", ""])("the text %j", (text) => {
    expect(() => bitSequenceTask({ stick: 0 }).encode(text)).toThrow(
      "is not a string of 16 bits, each 0 or 1",
    );
  });
});

test("environment and task use the same texts", () => {
  const { environment, decode } = bitSequenceTask({ stick: 0, bits: 8, word: 4 });
  const stream = RandomStream.fromSeed(0);
  for (const terminal of [0, 1, 0x3a, 255]) {
    const text = decode(terminal);
    expect(environment.describe(environment.sampleTrajectoryTo(terminal, stream))).toBe(text);
    expect(environment.trajectoryOf(text, stream)).toEqual(environment.sampleTrajectoryTo(terminal, stream));
  }
  expect(() => environment.trajectoryOf("3a", stream)).toThrow('"3a" is not a string of 8 bits');
});
