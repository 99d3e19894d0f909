// Every method is what its name says.

import { describe, expect, test } from "vitest";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { OBJECTIVES } from "../gfn/objectives/choice.ts";
import { checkSettings, type Settings } from "../gfn/settings.ts";
import { METHOD_NAMES, methodProblem } from "./method-names.ts";
import { type CommonSettings, methodNamed } from "./methods.ts";

const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });

function settingsOf(name: string, common: CommonSettings = {}): Settings {
  const method = methodNamed(name);
  if (method.kind !== "gflownet") throw new Error(`${name} is no GFlowNet`);
  return method.settings(environment, common);
}

const learned = METHOD_NAMES.filter((name) => methodNamed(name).kind === "gflownet");

test.each(learned)("the settings of %s can be trained with, exploring either way", (name) => {
  for (const onPolicy of [false, true]) {
    const settings = settingsOf(name, { onPolicy, batch: 7, reward: { exponent: 2 } });
    expect(() => checkSettings(settings)).not.toThrow();
    expect(settings).toMatchObject({ batch: 7, reward: { exponent: 2 } });
  }
});

test("objectives are those of the names, and none is detailed balance without dynamics", () => {
  expect(settingsOf("none").objective).toEqual(OBJECTIVES.db);
  for (const name of ["sdb", "sdb-marginal", "kl", "soft-q", "eflow"] as const) {
    expect(settingsOf(name).objective).toEqual(OBJECTIVES[name]);
  }
  expect(settingsOf("kl-entropy").objective).toEqual(OBJECTIVES.kl);
});

test("half-uniform weights stay to the end", () => {
  expect(settingsOf("sdb-marginal-uniform").mixture.uniform).toBe(0.5);
  expect(settingsOf("sdb-marginal").mixture.uniform).toMatchObject({ from: 0.5, to: 0 });
});

test("on policy, no object is given, and as large a share of intentions is uniform", () => {
  const { mixture, exploration } = settingsOf("kl", { onPolicy: true });
  expect(mixture.uniform).toBe(0);
  expect(exploration.epsilon).toEqual(settingsOf("kl").mixture.uniform);
  expect(settingsOf("soft-q", { onPolicy: true })).toEqual(settingsOf("soft-q"));
});

test.each(["kl", "kl-entropy", "soft-q"])("on policy, %s explores as much as it is told", (name) => {
  const { mixture, exploration } = settingsOf(name, { onPolicy: true, epsilon: 0 });
  expect([mixture.uniform, exploration.epsilon]).toEqual([0, 0]);
});

test("γ is a half unless the name has another", () => {
  expect(settingsOf("kl-entropy").entropyRatio).toMatchObject({
    use: "behaviour",
    estimator: "quantile",
    gamma: 0.5,
  });
  expect(settingsOf("kl-entropy:0.25").entropyRatio?.gamma).toBe(0.25);
});

test("PPO takes what all have in common, but no settings of flows", () => {
  const ppo = methodNamed("ppo");
  if (ppo.kind !== "ppo") throw new Error("ppo is not PPO");
  expect(ppo.settings(environment, { batch: 9, reward: { exponent: 3, floor: 0.1, ramp: 5 } })).toMatchObject(
    {
      batch: 9,
      clip: 1,
      reward: { exponent: 3, floor: 0.1 },
    },
  );
});

describe("there is no method", () => {
  test.each(["", "KL", "kl-", "toString", ":0.5"])("called %j", (name) => {
    expect(methodProblem(name)).toBe("unknown");
    expect(() => methodNamed(name)).toThrow("there is no method");
  });

  test.each(["kl-entropy:", "kl-entropy:0", "kl-entropy:1", "kl-entropy:x", "kl:0.5", "kl-entropy:1e-1"])(
    "with the γ of %j",
    (name) => expect(methodProblem(name)).toBe("gamma"),
  );
});
