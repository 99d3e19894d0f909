// Tests of Ehrlich functions: the committed instance against the definition, and, where they are present, the instances of
// the shared data with their check values and histograms.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { ehrlichLandscape } from "./ehrlich.ts";
import { type EhrlichInstance, parseEhrlich } from "./ehrlich-instance.ts";
import { landscapeTable } from "./landscape.ts";

const file = "examples/ehrlich/instance.json";
const text = readFileSync(file, "utf8");
const instance = parseEhrlich(text, { source: file });

/** How many feasible strings have each value, as text with four decimals. */
function histogram(of: EhrlichInstance): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of landscapeTable(ehrlichLandscape(of), Number.NaN)) {
    if (Number.isNaN(value)) continue;
    const key = String(Number(value.toFixed(4)));
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe("the committed instance", () => {
  test("has the values of the definition, written out directly, for every string", () => {
    const { motif, spacing, allowed, motifLength: k, quantization: q } = instance;
    const table = landscapeTable(ehrlichLandscape(instance), -1);
    for (let index = 0; index < 4 ** 8; index++) {
      const x = Array.from(index.toString(4).padStart(8, "0"), Number);
      const feasible = x.every((letter, i) => i === 0 || allowed[x[i - 1]][letter] === "1");
      const matches = motif.map((letters, i) => {
        const counts = x.map((_, start) => {
          const at = letters.map((_, j) => start + spacing[i].slice(0, j).reduce((a, b) => a + b, 0));
          return at[k - 1] < 8 ? letters.filter((letter, j) => x[at[j]] === letter).length : 0;
        });
        return Math.floor(Math.max(...counts) / (k / q)) / q;
      });
      const expected = feasible ? matches.reduce((a, b) => a * b) : -1;
      if (Math.abs(table[index] - expected) > 1e-12) expect([x, table[index]]).toEqual([x, expected]);
    }
  });

  test("has 4 · 3⁷ feasible strings with this histogram", () => {
    const counts = histogram(instance);
    expect(counts).toEqual({
      ...{ 0: 336, 0.1111: 1232, 0.2222: 1836, 0.3333: 345, 0.4444: 2714, 0.6667: 1901, 1: 384 },
    });
    expect(Object.values(counts).reduce((a, b) => a + b)).toBe(4 * 3 ** 7);
  });

  test("has the label of its family, a pairs constraint, and a feasible initial string", () => {
    const landscape = ehrlichLandscape(instance);
    expect(landscape.label).toBe(
      "Ehrlich function v4 L8 c2 k3 q3 (gflownet's own family, not holo-bench's, seed 0)",
    );
    expect(landscape.pairs.kind).toBe("pairs");
    expect(landscape.pairs.allowed[0]).toEqual([true, true, true, false]);
    expect(landscape.isFeasible(landscape.initial!)).toBe(true);
    expect(landscape.score([0, 3, 0, 0, 0, 0, 0, 0])).toBeNull();
    expect(landscape.score([0, 0])).toBeNull();
    expect(landscape.score([4, 0, 0, 0, 0, 0, 0, 0])).toBeNull();
  });
});

test("a quantisation that does not divide the motif length rounds down", () => {
  // Two levels for three letters: one match gives floor(2/3) = 0 levels, two give floor(4/3) = 1, three give 2.
  const coarse = { ...instance, motifs: 1, motif: [[0, 1, 2]], spacing: [[1, 1]], quantization: 2 };
  const landscape = ehrlichLandscape({ ...coarse, checks: [], initial: undefined });
  expect(landscape.score([0, 0, 0, 0, 0, 0, 0, 0])).toBe(0);
  expect(landscape.score([0, 1, 1, 1, 1, 1, 1, 1])).toBe(0.5);
});

describe("bad input", () => {
  const issuesOf = (input: string, index?: number) => {
    try {
      ehrlichLandscape(parseEhrlich(input, { index, source: "x.json" }), "x.json");
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      expect(error.source).toBe("x.json");
      return error.issues.map(({ path, message }) => `${path}: ${message}`);
    }
    return [];
  };
  const changed = (changes: object) => JSON.stringify({ ...instance, ...changes });

  test("is reported all at once", () => {
    expect(
      issuesOf(
        changed({
          motif: [[0, 1, 4]],
          spacing: [
            [1, 9],
            [4, 4],
          ],
          allowed: ["1111", "11", "1111", 7],
        }),
      ),
    ).toEqual([
      "motif: must be a list of 2, got 1",
      "spacing[0]: must be a list of 2 whole numbers from 1 to 8, got [1,9]",
      "spacing[1]: must fit into 8 letters, got gaps that take 9",
      'allowed[1]: must be a text of 4 digits 0 or 1, got "11"',
      "allowed[3]: must be a text of 4 digits 0 or 1, got 7",
    ]);
    expect(issuesOf(changed({ states: 1, length: "8", quantization: 9 }))).toEqual([
      "states: must be a whole number from 2 to 1000, got 1",
      'length: must be a whole number from 1 to 100000, got "8"',
      "quantization: must be a whole number from 1 to 3, got 9",
    ]);
  });

  test("is a check value or an initial string that does not agree with the function", () => {
    expect(
      issuesOf(changed({ checks: [[[1, 3, 3, 1, 0, 1, 3, 3], 0.5]], initial: [0, 3, 0, 0, 0, 0, 0, 0] })),
    ).toEqual([
      "checks[0]: must have the value 0.5, got 1",
      "initial: must be feasible, got a pair that is not allowed",
    ]);
  });

  test("is a file that is not JSON, or no instance", () => {
    expect(issuesOf("{")[0]).toMatch(/^: must be JSON: /);
    expect(issuesOf("[]")).toEqual([": must be an object with the fields of an Ehrlich instance, got []"]);
  });

  test("is an index outside of a file with several instances", () => {
    const several = JSON.stringify({ instances: [instance, { ...instance, states: 0 }] });
    expect(issuesOf(several, 0)).toEqual([]);
    expect(issuesOf(several)).toEqual([
      "index: must be a whole number from 0 to 1, because the file has 2 instances",
    ]);
    expect(issuesOf(several, 2)).toEqual(["index: must be a whole number from 0 to 1, got 2"]);
    expect(issuesOf(several, 1)).toEqual([
      "instances[1].states: must be a whole number from 2 to 1000, got 0",
    ]);
    expect(issuesOf(text, 1)).toEqual(["index: must be 0 for a file with one instance, got 1"]);
  });
});

// The instances of holo-bench are not part of the repository.
const shared = fileURLToPath(new URL("../../../shared/data/ehrlich/instances.json", import.meta.url));
const absent = existsSync(shared) ? "" : " (skipped: ../shared/data/ehrlich/instances.json is absent)";
describe.skipIf(absent !== "")(`the published instances${absent}`, () => {
  const published = absent === "" ? readFileSync(shared, "utf8") : '{"instances":[]}';
  const all: readonly EhrlichInstance[] = JSON.parse(published).instances;
  const find = (states: number, length: number, motifLength: number) =>
    all.find((each) => each.states === states && each.length === length && each.motifLength === motifLength)!;

  test("reproduce all their check values", () => {
    let checks = 0;
    all.forEach((_, index) => {
      const landscape = ehrlichLandscape(parseEhrlich(published, { index }));
      for (const [string, value] of landscape.instance.checks ?? []) {
        expect(landscape.score(string)).toBeCloseTo(value, 6);
        checks++;
      }
    });
    expect(checks).toBeGreaterThan(60);
  });

  test("have the histograms that were measured with holo-bench", () => {
    expect(histogram(find(4, 8, 4))).toEqual({
      ...{ 0: 740, 0.0625: 1606, 0.125: 1350, 0.1875: 101, 0.25: 1676, 0.375: 1486, 0.5: 237 },
      ...{ 0.5625: 1047, 0.75: 445, 1: 60 },
    });
    expect(histogram(find(20, 4, 2))).toEqual({ 0: 96098, 0.25: 4620, 0.5: 252, 1: 2 });
    const ten = histogram(find(4, 10, 4));
    expect(ten[1]).toBe(931);
    expect(Object.values(ten).reduce((a, b) => a + b)).toBe(78_732);
  });
});
