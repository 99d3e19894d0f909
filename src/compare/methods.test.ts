// Tests of the settings of every method.

import { expect, test } from "vitest";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { gammaProblem } from "../gfn/objectives/entropy-ratio/options.ts";
import { OBJECTIVES } from "../gfn/objectives/objective.ts";
import { checkSettings } from "../gfn/training/check-settings.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { problemOf } from "../settings/kinds.ts";
import { GAMMA, METHOD_NAMES } from "./method-names.ts";
import { type CommonSettings, findMethod } from "./methods.ts";

const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });

function settingsOf(name: string, common: CommonSettings = {}): Settings {
  const method = findMethod(name);
  if (method.kind !== "gflownet") throw new Error(`${name} is not a GFlowNet`);
  return method.settings(environment, common);
}

const learned = METHOD_NAMES.filter((name) => findMethod(name).kind === "gflownet");

test.each(learned)("the settings of %s are valid, with and without on-policy exploration", (name) => {
  for (const onPolicy of [false, true]) {
    const settings = settingsOf(name, { onPolicy, batch: 7, rewardExponent: 2 });
    const context = { environment, scores: "table", hasOfflineObjects: false } as const;
    expect(() => checkSettings(settings, context)).not.toThrow();
    expect(settings).toMatchObject({ batch: 7, rewardExponent: 2 });
  }
});

test("methods have the objective of their name, and none is detailed balance without dynamics", () => {
  expect(settingsOf("none")).toMatchObject(OBJECTIVES.db);
  for (const name of ["sdb", "sdb-marginal", "kl", "soft-q", "eflow"] as const) {
    expect(settingsOf(name)).toMatchObject(OBJECTIVES[name]);
  }
  expect(settingsOf("kl-entropy")).toMatchObject(OBJECTIVES.kl);
});

test("sdb-marginal-uniform uses uniform objects throughout training", () => {
  expect(settingsOf("sdb-marginal-uniform").uniformShare).toBe(0.5);
  expect(settingsOf("sdb-marginal").uniformShare).toMatchObject({ from: 0.5, to: 0 });
});

test("on-policy exploration replaces uniform objects by uniform actions with the same probability", () => {
  const { uniformShare, epsilon } = settingsOf("kl", { onPolicy: true });
  expect(uniformShare).toBe(0);
  expect(epsilon).toEqual(settingsOf("kl").uniformShare);
  expect(settingsOf("soft-q", { onPolicy: true })).toEqual(settingsOf("soft-q"));
});

test.each(["kl", "kl-entropy", "soft-q"])("on-policy exploration of %s can be set", (name) => {
  const { uniformShare, epsilon } = settingsOf(name, { onPolicy: true, epsilon: 0 });
  expect([uniformShare, epsilon]).toEqual([0, 0]);
});

test("γ is 0.5 by default, or part of the name", () => {
  expect(settingsOf("kl-entropy")).toMatchObject({
    ...{ entropyRatio: "behaviour", entropyEstimator: "quantile", entropyGamma: 0.5, entropyQuantile: 0.25 },
  });
  expect(settingsOf("kl-entropy:0.25").entropyGamma).toBe(0.25);
});

test("PPO uses the common settings that apply to it", () => {
  const ppo = findMethod("ppo");
  if (ppo.kind !== "ppo") throw new Error("ppo is not PPO");
  const settings = ppo.settings(environment, {
    batch: 9,
    rewardExponent: 3,
    rewardFloor: 0.1,
    rewardRamp: 5,
  });
  expect(settings).toMatchObject({ batch: 9, clip: 1, rewardExponent: 3, rewardFloor: 0.1 });
  expect(settings).not.toHaveProperty("rewardRamp");
});

test("a comparison accepts the same values of γ as training", () => {
  for (const gamma of [-1, 0, 1e-300, 1e-7, 0.5, 1 - 1e-9, 1, 2, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(problemOf(GAMMA, gamma) === null).toBe(gammaProblem(gamma) === null);
  }
  expect(problemOf(GAMMA, { from: 0.1, to: 0.5 })).toContain("must be a number in (0, 1)");
});

test("settings of a method override those of all methods, and what depends on them follows", () => {
  const common = { batch: 7, hidden: [8], learningRate: 0.5 };
  expect(settingsOf("kl:batch=9,balance=tb,hidden=4,4", common)).toMatchObject({
    ...{ batch: 9, balance: "tb", dynamics: "marginal", loss: "kl", hidden: [4, 4], learningRate: 0.5 },
  });
  // Networks that are conditioned on the thought cannot follow uniformly drawn objects.
  expect(settingsOf("kl:encoder=both")).toMatchObject({ uniformShare: 0, epsilon: { from: 0.5 } });
  expect(settingsOf("kl-thought", common)).toMatchObject({ ...OBJECTIVES["kl-thought"], clip: 0.5 });
  expect(settingsOf("kl:epsilon=0.25,uniformShare=0.125", { onPolicy: true })).toMatchObject({
    ...{ epsilon: 0.25, uniformShare: 0.125 },
  });
});

test("PPO and searches have settings of their own", () => {
  const ppo = findMethod("ppo:epochs=2,clip=3,hidden=5");
  if (ppo.kind !== "ppo") throw new Error("ppo is not PPO");
  expect(ppo.settings(environment, { hidden: [9], clip: 1 })).toMatchObject({
    ...{ epochs: 2, clip: 3, hidden: [5], ratioClip: 0.2 },
  });
  expect(findMethod("random:batch=5")).toMatchObject({ kind: "search", batch: 5 });
  expect(findMethod("evolution:elite=3")).toMatchObject({ kind: "search", batch: 32 });
});
