import { describe, expect, test } from "vitest";
import { sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { rewardTable } from "../../src/gfn/reward/reward.ts";
import { defaultSettings } from "../../src/gfn/training/defaults.ts";
import { tfbind8Task } from "../../src/tasks/tfbind8/index.ts";
import { readBindingTable } from "../../src/tasks/tfbind8/read-binding-table.ts";
import { bindingTablePath, hasBindingTable } from "./binding-table-path.ts";
import { noiselessPolicyUnderNoise, settingsFor } from "./measure.ts";

const environment = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.5 });

test("a training case has the default settings with its changes", () => {
  const defaults = defaultSettings(environment);
  expect(settingsFor({ environment }, { rewardExponent: 3, stateTable: true })).toEqual({
    ...defaults,
    rewardExponent: 3,
  });
  const objective = { balance: "db", dynamics: "none", loss: "kl" } as const;
  const changed = settingsFor({ environment }, { rewardExponent: 1, stateTable: false, objective });
  expect(changed).toEqual({ ...defaults, ...objective, stateTableRows: 0 });
  expect(defaults.stateTableRows).toBeGreaterThan(0);
});

describe("the policy that is exact without noise", () => {
  test("has the distances of a calculation by hand", () => {
    // The policy chooses A with probability 6/8. After A it chooses A with probability 5/6, and after B with
    // probability 1/2. Noise replaces half of all letters.
    const { tv, kl } = noiselessPolicyUnderNoise({ environment }, Float64Array.of(5, 1, 1, 1));
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

  test.skipIf(!hasBindingTable())("is far from the measured target under noise", async () => {
    const table = await readBindingTable(bindingTablePath());
    const reward = rewardTable(table, { exponent: 3 });
    const distances = [0.25, 0.5, 0.75].map(
      (stick) => noiselessPolicyUnderNoise(tfbind8Task({ stick, table }), reward).tv,
    );
    expect(distances.map((tv) => tv.toFixed(3))).toEqual(["0.104", "0.206", "0.306"]);
  });
});
