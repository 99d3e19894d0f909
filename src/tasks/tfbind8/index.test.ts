import { describe, expect, test } from "vitest";
import { reverseComplement } from "./eight-mers.ts";
import { tfbind8Task } from "./index.ts";
import { SURROGATE, surrogateTable } from "./surrogate.ts";

const table = surrogateTable();

describe("the surrogate", () => {
  test("has scores from 0 to 1 for all strings", () => {
    expect(table).toHaveLength(65536);
    expect(table.reduce((a, b) => Math.min(a, b))).toBe(0);
    expect(table.reduce((a, b) => Math.max(a, b))).toBe(1);
  });

  test("has equal scores for both strands", () => {
    expect(table.every((score, index) => score === table[reverseComplement(index)])).toBe(true);
  });

  test("has a label that states its agreement with the measured table, and at most 400 coefficients", () => {
    expect(SURROGATE.label).toMatch(
      /^surrogate of SIX6 \(R² 0\.\d\d, Spearman 0\.\d\d\), not the measured table$/,
    );
    expect(SURROGATE.coefficients).toBeLessThanOrEqual(400);
  });
});

describe("the task", () => {
  test("uses the surrogate by default, and its label says so", () => {
    const task = tfbind8Task({ stick: 0.25 });
    expect(task.label).toBe(SURROGATE.label);
    expect(task.scores.every((score, index) => score === table[index])).toBe(true);
    expect(task.environment.stick).toBe(0.25);
    expect(task.environment.maxSteps).toBe(8);
    expect(task.modes).toBeUndefined();
  });

  test("can use the hand-made rule, and its label says so", () => {
    const task = tfbind8Task({ stick: 0, table: "simplified" });
    expect(task.label).toBe("simplified hand-made rule, not a measured table");
    expect(task.scores[task.encode("AAAAAAAA")]).toBeCloseTo(0.7 / 3, 12);
  });

  test("accepts a table with the name of its source", () => {
    const given = new Float64Array(65536).fill(0.5);
    const task = tfbind8Task({ stick: 0, table: given, source: "SIX6.txt" });
    expect(task.label).toBe("scores from SIX6.txt");
    expect(task.scores).toBe(given);
  });

  test("has the same terminal indices as its environment, and texts survive a round trip", () => {
    const task = tfbind8Task({ stick: 0, table: "simplified" });
    for (const terminal of [0, 1, 4711, 65535]) expect(task.encode(task.decode(terminal))).toBe(terminal);
    const { targets, offsets, states } = task.environment.enumerate();
    // The last state is TTTTTTT; the action C leads from it to TTTTTTTC.
    const end = -1 - targets[offsets[(states - 1) * 4 + 1]];
    expect(task.decode(end)).toBe("TTTTTTTC");
  });

  test("refuses invalid options and texts", () => {
    expect(() => tfbind8Task({ stick: 1 })).toThrow("stick must be in [0, 1), got 1");
    expect(() => tfbind8Task({ stick: -0.5 })).toThrow("stick must be in [0, 1), got -0.5");
    expect(() => tfbind8Task({ stick: 0, table: new Float64Array(3) })).toThrow(
      "tfbind8: table must have 65536 scores, got 3",
    );
    expect(() => tfbind8Task({ stick: 0, table: "measured" as "surrogate" })).toThrow(
      'tfbind8: table must be "surrogate", "simplified" or a Float64Array of scores, got "measured"',
    );
    const task = tfbind8Task({ stick: 0, table: "simplified" });
    expect(() => task.encode("ACGU")).toThrow(
      'tfbind8: "ACGU" has "U" at position 4, but the letters are ACGT',
    );
    expect(() => task.encode("ACG")).toThrow('tfbind8: "ACG" has 3 letters instead of 8');
    expect(() => task.decode(65536)).toThrow(
      "tfbind8: a terminal must be a whole number from 0 to 65535, got 65536",
    );
  });
});
