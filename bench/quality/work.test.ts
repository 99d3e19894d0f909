import { describe, expect, test } from "vitest";
import { defaultSettings } from "../../src/gfn/defaults.ts";
import { sequenceEnvironment } from "../../src/gfn/environments/sequence.ts";
import { rewardTable } from "../../src/gfn/reward.ts";
import { tfbind8Task } from "../../src/tasks/tfbind8/index.ts";
import { readBindingTable } from "../../src/tasks/tfbind8/read-binding-table.ts";
import { hasTfbind8Table, tfbind8Table } from "./table.ts";
import { intendingTheTarget, settingsFor } from "./work.ts";

const environment = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.5 });

test("a training has the default settings but for what it changes", () => {
  const usual = defaultSettings(environment);
  expect(settingsFor({ environment }, { exponent: 3, memory: true })).toEqual({
    ...usual,
    reward: { ...usual.reward, exponent: 3 },
  });
  const objective = { balance: "db", dynamics: "none", loss: "kl" } as const;
  const changed = settingsFor({ environment }, { exponent: 1, memory: false, objective });
  expect(changed).toEqual({ ...usual, objective, policy: { hidden: usual.policy.hidden } });
  expect(usual.policy.memoryRows).toBeGreaterThan(0);
});

describe("a policy that intends the target's shares under noise", () => {
  test("ends where it does by hand", () => {
    // Intends A with 6/8, then A with 5/6 and, after B, A with 1/2; half of all letters are drawn anew.
    const { tv, kl } = intendingTheTarget({ environment }, Float64Array.of(5, 1, 1, 1));
    const [a, aa, ba] = [6 / 8, 5 / 6, 1 / 2].map((share) => share / 2 + 1 / 4);
    const ends = [a * aa, a * (1 - aa), (1 - a) * ba, (1 - a) * (1 - ba)];
    const target = [5 / 8, 1 / 8, 1 / 8, 1 / 8];
    const sum = (of: (i: number) => number) => ends.reduce((total, _, i) => total + of(i), 0);
    expect(tv).toBeCloseTo(sum((i) => Math.abs(ends[i] - target[i])) / 2, 12);
    expect(kl).toBeCloseTo(
      sum((i) => target[i] * Math.log(target[i] / ends[i])),
      12,
    );
  });

  test.skipIf(!hasTfbind8Table())("is far from the measured target", async () => {
    const table = await readBindingTable(tfbind8Table());
    const reward = rewardTable(table, { exponent: 3 });
    const distances = [0.25, 0.5, 0.75].map(
      (stick) => intendingTheTarget(tfbind8Task({ stick, table }), reward).tv,
    );
    expect(distances.map((tv) => tv.toFixed(3))).toEqual(["0.104", "0.206", "0.306"]);
  });
});
