import { describe, expect, test } from "vitest";
import { fittedExponent } from "./fitted-exponent.ts";
import { growth, rowsOf } from "./index.ts";
import { SWEEPS, type Sweep } from "./sweeps.ts";

test("the exponent of a power law is found, and scattered values lie around it", () => {
  const sizes = [25, 50, 100, 200];
  expect(
    fittedExponent(
      sizes,
      sizes.map((size) => 3 * size ** 1.5),
    ),
  ).toBeCloseTo(1.5, 12);
  expect(fittedExponent(sizes, [1.1, 1.9, 4.2, 7.8])).toBeCloseTo(0.96, 2);
});

describe("rows", () => {
  const sweep: Sweep = {
    ...SWEEPS[0],
    sizes: [50, 100],
    quantities: ["milliseconds", "ready"],
    limits: [
      { quantity: "milliseconds", exponent: 1.2 },
      { quantity: "ready", at: 100, most: 3 },
    ],
  };

  test("say what is required of each quantity, and whether it is met", () => {
    const rows = rowsOf(sweep, (size, quantity) => (quantity === "ready" ? size / 25 : size ** 1.1));
    expect(rows).toMatchObject([
      { quantity: "milliseconds", required: "exponent at most 1.2", met: true },
      { quantity: "ready", values: [2, 4], required: "at most 3 s at 100", met: false },
    ]);
    expect(rows[0].exponent).toBeCloseTo(1.1, 12);
  });

  test("of a sweep without limits require nothing", () => {
    const rows = rowsOf({ ...sweep, limits: [] }, () => 1);
    expect(rows.map(({ required, met, exponent }) => [required, met, exponent])).toEqual([
      ["", null, 0],
      ["", null, 0],
    ]);
  });
});

test("sweeps that match nothing are refused with the names of all", async () => {
  const options = { rounds: 1, seconds: 0, quick: true, only: /nothing/ };
  await expect(growth.run(options, () => {})).rejects.toThrow(
    /^--only nothing matches nothing; available sweeps: length, perceptron; length, recurrent; /,
  );
});
