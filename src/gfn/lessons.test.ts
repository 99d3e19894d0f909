// Which rows of a batch are given: how many of each kind, which objects, and what is kept of the rest.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { RandomStream } from "../engine/index.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "./environments/sequence.ts";
import type { EpisodeNumbers } from "./episode-buffer.ts";
import {
  keepsEpisodes,
  LESSON_STREAMS,
  type LessonOptions,
  type LessonStreams,
  type Lessons,
  lessons,
  usesGiven,
} from "./lessons.ts";

const STEPS = 4;
const strings = sequenceEnvironment({ alphabet: "ABC", length: STEPS, stick: 0.25 });
const NONE = { uniform: 0, offline: 0, replay: 0 };
const KNOWN = ["CCCC", "CCCB"];
const BATCH = 20;

function lessonsOf(changes: Partial<LessonOptions>, seed = 1): Lessons {
  const root = RandomStream.fromSeed(seed);
  const streams = Object.fromEntries(LESSON_STREAMS.map((name) => [name, root.split(name)]));
  const replay = { capacity: 100, priority: 0 };
  return lessons(
    strings,
    { batch: BATCH, mixture: NONE, replay, known: KNOWN, ...changes },
    streams as LessonStreams,
  );
}

/** A batch of played episodes: in row r it was meant to write A, and letter r mod 3 came out. */
function played(rows = BATCH): EpisodeNumbers {
  return {
    actions: new Int32Array(STEPS * rows),
    outcomes: Int32Array.from({ length: STEPS * rows }, (_, i) => (i % rows) % 3),
  };
}

/** The given rows as text, with what was intended if that is known. */
function rowsOf({ given }: Lessons) {
  const column = (numbers: Int32Array, row: number) =>
    Array.from({ length: STEPS }, (_, t) => numbers[t * given.rows.length + row]);
  return [...given.rows.keys()]
    .filter((row) => given.rows[row] === 1)
    .map((row) => ({
      row,
      text: strings.describe(column(given.outcomes, row)),
      thought: column(given.actions, row),
    }));
}

/** How many rows are given, by where they come from. */
function kinds(rows: Lessons): { uniform: number; offline: number; replay: number } {
  const counts = { ...NONE };
  for (const { text, thought } of rowsOf(rows)) {
    if (thought.every((action) => action >= 0)) counts.replay++;
    else if (KNOWN.includes(text)) counts.offline++;
    else counts.uniform++;
  }
  return counts;
}

describe("rows of each kind are as many as the shares say:", () => {
  const falling = { from: 0.5, to: 0 };
  const growing = { from: 0, to: 0.4, until: 0.5 };
  test.each<[number, LessonOptions["mixture"], object]>([
    [0, NONE, NONE],
    [0.5, { uniform: 0.25, offline: 0.1, replay: 0.5 }, { uniform: 5, offline: 2, replay: 10 }],
    [0, { uniform: falling, offline: growing, replay: 0.1 }, { uniform: 10, offline: 0, replay: 2 }],
    [0.25, { uniform: falling, offline: growing, replay: 0.1 }, { uniform: 8, offline: 4, replay: 2 }],
    [0.5, { uniform: falling, offline: growing, replay: 0.1 }, { uniform: 5, offline: 8, replay: 2 }],
    [0.99, { uniform: falling, offline: growing, replay: 0.1 }, { uniform: 0, offline: 8, replay: 2 }],
    // Half of a row is a row, and a little less is none.
    [0, { uniform: 0.025, offline: 0.024, replay: 0 }, { uniform: 1, offline: 0, replay: 0 }],
    [0, { uniform: 0, offline: 1, replay: 0 }, { uniform: 0, offline: 20, replay: 0 }],
  ])("at progress %d, of %o", (progress, mixture, expected) => {
    const rows = lessonsOf({ mixture });
    rows.keep(played(), () => 1);
    rows.choose(progress);
    expect(kinds(rows)).toEqual(expected);
  });

  test("never more than there is room for, where all of them round up", () => {
    const rows = lessonsOf({ batch: 3, mixture: { uniform: 0.5, offline: 0.5, replay: 0 } });
    rows.choose(0);
    expect(kinds(rows)).toEqual({ uniform: 2, offline: 1, replay: 0 });
  });

  test("none of the last iteration are left in the next", () => {
    const rows = lessonsOf({ mixture: { ...NONE, offline: { from: 1, to: 0 } } });
    for (const [progress, count] of [
      [0, 20],
      [0.5, 10],
      [1, 0],
    ]) {
      rows.choose(progress);
      expect(rowsOf(rows)).toHaveLength(count);
    }
  });

  test("no rows again before there is an episode", () => {
    const rows = lessonsOf({ mixture: { ...NONE, replay: 0.5 } });
    rows.choose(0);
    expect(rowsOf(rows)).toEqual([]);
  });
});

describe("objects", () => {
  const drawn = (rows: Lessons, iterations: number) =>
    Array.from({ length: iterations }, () => {
      rows.choose(0);
      return rowsOf(rows).map(({ text }) => text);
    }).flat();

  test("are drawn uniformly from all that there are", () => {
    const counts = new Map<string, number>();
    for (const text of drawn(lessonsOf({ mixture: { ...NONE, uniform: 1 } }), 300)) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const even = new Array(81).fill(1 / 81);
    expect(counts.size).toBe(81);
    expect(chiSquare([...counts.values()], even)).toBeLessThan(chiSquareLimit(even));
  });

  test("are drawn from those that are known, all alike", () => {
    const texts = drawn(lessonsOf({ mixture: { ...NONE, offline: 1 } }), 50);
    const counts = KNOWN.map((known) => texts.filter((text) => text === known).length);
    expect(counts[0] + counts[1]).toBe(1000);
    expect(chiSquare(counts, [0.5, 0.5])).toBeLessThan(chiSquareLimit([0.5, 0.5]));
  });

  test("of one kind do not depend on the share of another", () => {
    const uniform = (offline: number, replay: number) => {
      const rows = lessonsOf({ mixture: { uniform: 0.25, offline, replay } });
      rows.keep(played(), () => 1);
      return Array.from({ length: 5 }, () => {
        rows.choose(0);
        return rowsOf(rows)
          .slice(0, 5)
          .map(({ text }) => text);
      });
    };
    expect(uniform(0.25, 0.5)).toEqual(uniform(0, 0));
  });

  test("are the same for the same seed, and others for another", () => {
    const of = (seed: number) => drawn(lessonsOf({ mixture: { ...NONE, uniform: 1 } }, seed), 2);
    expect(of(1)).toEqual(of(1));
    expect(of(1)).not.toEqual(of(2));
  });
});

describe("episodes", () => {
  test("are kept unless they were given, and come again with what was intended", () => {
    const rows = lessonsOf({ batch: 4, mixture: { uniform: 0, offline: 0.5, replay: 0.5 } });
    rows.choose(0);
    expect(rowsOf(rows).map(({ row }) => row)).toEqual([0, 1]);
    // Rows 0 and 1 are not the run's own. Row 2 wrote CCCC and row 3 AAAA.
    rows.keep(played(4), () => 1);
    rows.choose(0);
    const again = rowsOf(rows).slice(2);
    expect(again).toHaveLength(2);
    for (const { text, thought } of again) {
      expect(["CCCC", "AAAA"]).toContain(text);
      expect(thought).toEqual([0, 0, 0, 0]);
    }
  });

  test("come again by their scores", () => {
    const replay = { capacity: 100, priority: 1 };
    const rows = lessonsOf({ batch: 3, mixture: { ...NONE, replay: { from: 1, to: 1 } }, replay });
    rows.keep(played(3), (row) => [0, 1, 3][row]);
    const counts = [0, 0, 0];
    for (let i = 0; i < 500; i++) {
      rows.choose(0);
      for (const { text } of rowsOf(rows)) counts["ABC".indexOf(text[0])]++;
    }
    expect(chiSquare(counts, [0, 0.25, 0.75])).toBeLessThan(chiSquareLimit([0, 0.25, 0.75]));
  });

  test("come again only while there is room for them, the newest staying", () => {
    const rows = lessonsOf({ mixture: { ...NONE, replay: 1 }, replay: { capacity: 1, priority: 0 } });
    rows.keep(played(), () => 1);
    rows.choose(0);
    // Row 19 was the last, and wrote B.
    expect(new Set(rowsOf(rows).map(({ text }) => text))).toEqual(new Set(["BBBB"]));
  });

  test("for the dynamics model are drawn in rounds from their own buffer, and nothing while that is empty", () => {
    expect(lessonsOf({}).drawStored()).toBeNull();
    const rows = lessonsOf({ dynamicsReplay: { capacity: 50, episodes: 3, rounds: 2 } });
    const empty = rows.drawStored();
    expect(empty?.actions).toEqual(new Int32Array(2 * STEPS * 3).fill(-1));
    expect(empty?.outcomes).toEqual(new Int32Array(2 * STEPS * 3).fill(-1));
    rows.keep(played(), () => 1);
    const stored = rows.drawStored();
    expect(stored?.actions).toEqual(new Int32Array(2 * STEPS * 3));
    for (let round = 0; round < 2; round++) {
      for (let episode = 0; episode < 3; episode++) {
        // Each played episode has one letter throughout.
        const letters = Array.from(
          { length: STEPS },
          (_, t) => stored?.outcomes[(round * STEPS + t) * 3 + episode],
        );
        expect(new Set(letters).size).toBe(1);
        expect([0, 1, 2]).toContain(letters[0]);
      }
    }
  });
});

test("rows are given if any share is ever above zero; episodes are kept if they are wanted again", () => {
  expect(usesGiven({ mixture: NONE })).toBe(false);
  expect(usesGiven({ mixture: { ...NONE, offline: { from: 0, to: 0.1 } } })).toBe(true);
  expect(keepsEpisodes({ mixture: { ...NONE, uniform: 1 } })).toBe(false);
  expect(keepsEpisodes({ mixture: { ...NONE, replay: { from: 0.5, to: 0 } } })).toBe(true);
  expect(keepsEpisodes({ mixture: NONE, dynamicsReplay: { capacity: 1, episodes: 1, rounds: 1 } })).toBe(
    true,
  );
});

describe("what cannot be taught is refused before anything is trained:", () => {
  const streams = Object.fromEntries(
    LESSON_STREAMS.map((name) => [name, RandomStream.fromSeed(0).split(name)]),
  ) as LessonStreams;
  const options = { batch: 4, replay: { capacity: 10, priority: 0 } };

  test("known objects, of which there are none", () => {
    expect(() => lessonsOf({ mixture: { ...NONE, offline: { from: 0, to: 1 } }, known: [] })).toThrow(
      "mixture.offline: no known objects were given",
    );
  });

  test("a text that is no object", () => {
    expect(() => lessonsOf({ mixture: { ...NONE, offline: 1 }, known: ["CCCC", "CC"] })).toThrow('"CC"');
  });

  test("uniformly drawn objects of an environment that lists none", () => {
    const long = longSequenceEnvironment({ alphabet: "AB", length: 40, stick: 0 });
    expect(() => lessons(long, { ...options, mixture: { ...NONE, uniform: 0.1 } }, streams)).toThrow(
      "mixture.uniform: the objects of strings of 40 letters out of AB are not listed",
    );
  });
});
