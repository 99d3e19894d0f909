// Tests of the settings that all learned methods share, and of those that PPO shares.

import { expect, test } from "vitest";
import { SETTING_KEYS } from "../gfn/training/settings-table.ts";
import { PPO_SHARED_SETTINGS } from "./ppo-keys.ts";
import { SHARED_SETTINGS } from "./shared-settings.ts";

test("all settings of the groups reward, networks and learning are shared, except those that not every method has", () => {
  const notShared = ["objectMarginalHidden", "network", "outputInit"];
  const ofGroups = Object.entries(SETTING_KEYS).flatMap(([name, { group }]) =>
    ["reward", "networks", "learning"].includes(group) && !notShared.includes(name) ? [name] : [],
  );
  expect(SHARED_SETTINGS).toEqual(ofGroups);
});

test("PPO shares the settings of the policy network, the reward, the batch and the learning rate", () => {
  expect([...PPO_SHARED_SETTINGS].sort()).toEqual(
    [
      ...["hidden", "activation", "stateTableRows", "stateTableRateScale", "state", "embeddingWidth"],
      ...["rewardExponent", "rewardFloor", "batch", "learningRate"],
    ].sort(),
  );
});
