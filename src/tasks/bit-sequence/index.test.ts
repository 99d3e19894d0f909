import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { hammingDistance, localMaximaOfTable } from "../../gfn/evaluate/modes.ts";
import { bitSequenceTask } from "./index.ts";

test("sixteen bits in words of four are four letters out of sixteen, with eight modes of reward one", () => {
  const task = bitSequenceTask({ stick: 0.25 });
  expect(task.environment.length).toBe(4);
  expect(task.environment.outcomes).toBe(16);
  expect(task.scores).toHaveLength(65536);
  expect(new Set(task.modes).size).toBe(8);
  for (const mode of task.modes!) expect(task.scores[mode]).toBe(1);
  expect(task.scores.filter((score) => score === 1)).toHaveLength(8);
  expect(task.label).toBe("exp(−8 · Hamming distance to the nearest of 8 modes / 16), modes of seed 0");
});

test.each([1, 2, 20, 64])("scores fall with the Hamming distance to the nearest of %d modes", (count) => {
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

test("the seed decides the modes and nothing else", () => {
  const modes = (seed: number) => bitSequenceTask({ stick: 0, seed }).modes;
  expect(modes(1)).toEqual(modes(1));
  expect(modes(1)).not.toEqual(modes(2));
});

test("strings are written in bits and read back, and a terminal's letters are its words", () => {
  const task = bitSequenceTask({ stick: 0, bits: 8, word: 4 });
  expect(task.decode(0x3a)).toBe("00111010");
  for (let terminal = 0; terminal < 256; terminal++)
    expect(task.encode(task.decode(terminal))).toBe(terminal);
  // Letter by letter: the last states before the end are the sixteen first words.
  const { targets, offsets } = task.environment.enumerate();
  expect(-1 - targets[offsets[(1 + 3) * 16 + 10]]).toBe(0x3a);
});

test("words may have up to eight bits", () => {
  expect(bitSequenceTask({ stick: 0, bits: 8, word: 8 }).environment.outcomes).toBe(256);
  expect(bitSequenceTask({ stick: 0, bits: 6, word: 6 }).environment.outcomes).toBe(64);
});

describe("bad options and texts are named:", () => {
  test.each([
    [{ stick: -0.1 }, "stick must be in [0, 1), got -0.1"],
    [{ stick: 1 }, "stick must be in [0, 1), got 1"],
    [{ stick: 0, bits: 10, word: 4 }, "bits must be divisible by word, got 10 bits in words of 4"],
    [{ stick: 0, bits: 0 }, "bits must be a positive whole number, got 0"],
    [{ stick: 0, word: -2 }, "word must be a positive whole number, got -2"],
    [{ stick: 0, modes: 1.5 }, "modes must be a positive whole number, got 1.5"],
    [{ stick: 0, bits: 18, word: 9 }, "word must be at most 8 bits, got 9"],
    [{ stick: 0, bits: 32 }, "4294967296 terminals are more than the 16777216 that fit a table; lower bits"],
    [{ stick: 0, bits: 2, word: 1 }, "8 modes do not fit the 4 strings of 2 bits"],
    [{ stick: 0, sharpness: 0 }, "sharpness must be a positive number, got 0"],
  ])("%j", (options, message) => {
    expect(() => bitSequenceTask(options)).toThrow(message);
  });

  test.each(["0101", "0000000000000002", ""])("the text %j", (text) => {
    expect(() => bitSequenceTask({ stick: 0 }).encode(text)).toThrow(
      "is not a string of 16 bits, each 0 or 1",
    );
  });
});

test("the environment writes and reads the same bits as the task", () => {
  const { environment, decode } = bitSequenceTask({ stick: 0, bits: 8, word: 4 });
  const stream = RandomStream.fromSeed(0);
  for (const terminal of [0, 1, 0x3a, 255]) {
    const text = decode(terminal);
    expect(environment.describe(environment.wayTo(terminal, stream))).toBe(text);
    expect(environment.wayOf(text, stream)).toEqual(environment.wayTo(terminal, stream));
  }
  expect(() => environment.wayOf("3a", stream)).toThrow('"3a" is not a string of 8 bits');
});
