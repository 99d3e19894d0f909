// What an environment owes to the rest if its states cannot be listed: what can be seen of it along episodes.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { RandomStream } from "../../src/engine/index.ts";
import { type Environment, isEnumerable } from "../../src/gfn/environment.ts";
import { chiSquare, chiSquareLimit } from "./chi-square.ts";
import { EPISODES, episodesOf, realised } from "./environment-contract.ts";
import { type Place, placeInputs, placesOf, rowsOf, stateOf } from "./environment-walk.ts";
import { evaluate } from "./gradients.ts";
import { inFloat64, oneHots } from "./tabular.ts";

const SEED = RandomStream.fromSeed(17);
/** Draws per intention. */
const DRAWS = 1000;
/** Places looked at, per step. */
const PLACES = 3;

/** Places after `closely` many steps are looked at closely. */
export function openEnvironmentContract(
  name: string,
  make: () => Environment,
  closely: readonly number[],
): void {
  describe(name, () => {
    const environment = make();
    const { actions, outcomes: C, stops, stick, maxSteps: T } = environment;
    let episodes: ReturnType<typeof episodesOf>;
    /** Places by step and row. */
    let places: Place[][];
    beforeAll(() => {
      episodes = episodesOf(environment);
      const all = placesOf(episodes);
      places = Array.from({ length: T + 1 }, (_, t) => all.slice(t * EPISODES, (t + 1) * EPISODES));
    });
    const wayOf = (row: number) =>
      Array.from({ length: T }, (_, t) => t)
        .filter((t) => places[t][row].running > 0)
        .map((t) => episodes.outcome[t * EPISODES + row])
        .filter((outcome) => outcome >= 0);
    /** A few places where episodes go on after t steps, with the intentions legal there. */
    const looked = (t: number) => {
      const here = places[t].filter(({ running }) => running > 0).slice(0, PLACES);
      const { allowed } = inFloat64(
        (inputs) => ({
          allowed: np.broadcastTo(environment.allowed(stateOf(inputs), t), [here.length, actions]), // [B, A]
        }),
        placeInputs(environment, here),
      );
      return rowsOf(allowed, here.length).map((row, i) => ({
        place: here[i],
        legal: row.flatMap((allow, action) => (allow ? [action] : [])),
      }));
    };
    const isStop = (action: number) => stops && action === actions - 1;

    test("it has no list of states", () => {
      expect(isEnumerable(environment)).toBe(false);
    });

    test("episodes end, none too late and one as late as can be", () => {
      expect(places[T].every(({ running }) => running === 0)).toBe(true);
      expect(places[T - 1].some(({ running }) => running === 1)).toBe(true);
      for (let t = 0; t < T; t++) {
        places[t].forEach(({ running }, row) => {
          expect(places[t + 1][row].running).toBeLessThanOrEqual(running);
        });
      }
    });

    test("an ended episode stays as it is", () => {
      for (let t = 0; t < T; t++) {
        places[t].forEach((place, row) => {
          if (place.running === 0) expect(places[t + 1][row]).toEqual(place);
        });
      }
    });

    test("a stop ends where it is said, and a move leads on", () => {
      for (let t = 0; t < T; t++) {
        places[t].forEach((place, row) => {
          if (place.running === 0) return;
          const after = places[t + 1][row];
          if (isStop(episodes.action[t * EPISODES + row])) expect(after).toEqual({ ...place, running: 0 });
          else expect(after.features).not.toEqual(place.features);
        });
      }
    });

    test.each(closely)("what is allowed after %i steps is what leads to different places", (t) => {
      for (const { place, legal } of looked(t)) {
        expect(legal.length).toBeGreaterThan(0);
        const tries = legal.map((action) => ({ place, action }));
        // 1 − 2⁻²⁴: no noise.
        const uniform = new Float32Array(tries.length * 2).fill(1 - 2 ** -24);
        const said = realised(environment, t, tries, uniform);
        expect(Array.from(said.outcome)).toEqual(
          Array.from(
            oneHots(
              legal.map((action) => (isStop(action) ? -1 : action)),
              C,
            ),
          ),
        );
        const after = placesOf(said);
        expect(new Set(after.map(({ features }) => features.join())).size).toBe(legal.length);
        expect(new Set(after.map(({ index }) => index)).size).toBe(legal.length);
      }
    });

    test.each(closely)("noise does as often what it says after %i steps", (t) => {
      const [{ place, legal }] = looked(t);
      const moves = legal.filter((action) => !isStop(action));
      const intended = [legal[0], legal[legal.length >> 1], legal[legal.length - 1]];
      const draws = intended.flatMap((action) => new Array<number>(DRAWS).fill(action));
      const { outcome } = evaluate(
        ({ action, uniform, ...arrays }) => ({
          outcome: environment.realise(stateOf(arrays), t, action, uniform), // [B, C]
        }),
        {
          ...placeInputs(environment, new Array<Place>(draws.length).fill(place)),
          action: { shape: [draws.length, actions], data: oneHots(draws, actions) },
          uniform: {
            shape: [draws.length, 2],
            data: SEED.split(`noise ${t}`).fillUniform(new Float32Array(draws.length * 2)),
          },
        },
        "float32",
      );
      const rows = rowsOf(outcome, draws.length);
      intended.forEach((action, i) => {
        const counts = new Array<number>(C).fill(0);
        const sums = new Set<number>();
        for (const row of rows.slice(i * DRAWS, (i + 1) * DRAWS)) {
          sums.add(row.reduce((a, b) => a + b));
          if (!isStop(action)) counts[row.indexOf(1)]++;
        }
        expect([...sums]).toEqual([isStop(action) ? 0 : 1]);
        if (isStop(action)) return;
        const probabilities = counts.map((_, c) =>
          moves.includes(c) ? (c === action ? 1 - stick : 0) + stick / moves.length : 0,
        );
        expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
      });
    });

    test("objects are written, read back, and found where their text says", () => {
      const rows = Array.from({ length: EPISODES }, (_, row) => row);
      const texts = rows.map((row) => environment.describe(wayOf(row)));
      const ways = texts.map((text) => environment.wayOf(text, SEED.split(text)));
      expect(ways.map((way) => environment.describe(way))).toEqual(texts);
      const ends = placesOf(followed(environment, ways));
      expect(ends).toEqual(places[T]);
      const objects = new Set(ends.map(({ features }) => features.join()));
      expect(objects.size).toBe(new Set(texts).size);
      expect(new Set(ends.map(({ index }) => index)).size).toBe(objects.size);
    });

    test("a text that is none is named", () => {
      const text = "no, none!";
      expect(() => environment.wayOf(text, SEED)).toThrow(RangeError);
      expect(() => environment.wayOf(text, SEED)).toThrow(JSON.stringify(text));
    });
  });
}

/** Where given outcomes lead, intended as they come, with a stop after them if there is one. */
function followed(environment: Environment, ways: readonly (readonly number[])[]) {
  const { actions, outcomes: C, maxSteps: T, stops } = environment;
  const B = ways.length;
  const at = (none: number) =>
    Array.from({ length: T }, (_, t) => ways.map((way) => (t < way.length ? way[t] : none))).flat();
  return inFloat64(
    (inputs) => {
      const action = np.split(inputs.action, T, 0); // T × [B, A]
      const outcome = np.split(inputs.outcome, T, 0); // T × [B, C]
      let state = environment.start(B);
      for (let t = 0; t < T; t++) state = environment.advance(state, t, action[t], outcome[t]);
      return { ...state };
    },
    {
      action: { shape: [T * B, actions], data: oneHots(at(stops ? actions - 1 : -1), actions) },
      outcome: { shape: [T * B, C], data: oneHots(at(-1), C) },
    },
  );
}
