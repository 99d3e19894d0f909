import { describe, expect, test } from "vitest";
import { disturbanceNote, quietRounds } from "./quiet-rounds.ts";

/** A machine on which other processes use these numbers of processors during the rounds. */
function machine(loads: readonly (number | undefined)[]) {
  let round = 0;
  return () => () => loads[round++];
}

/** The results of the rounds of contest x, with the number of the attempt as the result of each. */
async function results(planned: number, loads: readonly (number | undefined)[], lines: string[] = []) {
  const rounds = quietRounds(planned, (line) => lines.push(line), machine(loads));
  const kept: number[] = [];
  let attempt = 0;
  for (let i = 0; i < planned; i++) kept.push(await rounds.measure("x", async () => ++attempt));
  return { kept, disturbance: rounds.disturbance("x") };
}

test("a round is measured again while other processes use more than a tenth of a processor", async () => {
  const lines: string[] = [];
  const { kept, disturbance } = await results(2, [0.1, 0.11, 1.5, 0], lines);
  expect(kept).toEqual([1, 4]);
  expect(disturbance).toEqual({ discarded: 2, kept: 0 });
  expect(lines).toEqual([
    "x: other processes used 0.11 processors; the round is discarded and measured again.",
    "x: other processes used 1.50 processors; the round is discarded and measured again.",
  ]);
});

test("rounds are kept where the load is unknown", async () => {
  expect(await results(2, [])).toEqual({ kept: [1, 2], disturbance: { discarded: 0, kept: 0 } });
});

describe("on a machine that is never quiet", () => {
  const busy = new Array<number>(100).fill(1);

  test("half as many rounds as planned are discarded, and then disturbed ones are kept", async () => {
    const lines: string[] = [];
    const { kept, disturbance } = await results(10, busy, lines);
    expect(kept).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(disturbance).toEqual({ discarded: 5, kept: 10 });
    expect(lines.at(-1)).toBe(
      "x: other processes used 1.00 processors; the round is kept, because too many were discarded before.",
    );
  });

  test("a short benchmark discards three rounds", async () => {
    expect((await results(1, busy)).disturbance).toEqual({ discarded: 3, kept: 1 });
  });
});

test("the note for the table counts discarded and kept rounds of several contests", () => {
  expect(disturbanceNote([{ discarded: 0, kept: 0 }])).toBeUndefined();
  expect(disturbanceNote([{ discarded: 1, kept: 0 }])).toBe("1 disturbed round measured again");
  expect(
    disturbanceNote([
      { discarded: 1, kept: 0 },
      { discarded: 2, kept: 1 },
    ]),
  ).toBe("3 disturbed rounds measured again, 1 disturbed round kept");
});
