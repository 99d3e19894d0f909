// Settings of the entropy ratio and the entropy regulariser: the rules, and the resulting options.

import { describe, expect, test } from "vitest";
import { sequenceEnvironment } from "../../environment/sequence.ts";
import { checkSettings } from "../../training/check-settings.ts";
import { defaultSettings } from "../../training/defaults.ts";
import type { SettingsInput } from "../../training/settings.ts";
import { entropyRatioOf, usesEntropyRegulariser } from "./options.ts";

const environment = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });
const settings = (changes: SettingsInput) => defaultSettings(environment, changes);
const check = (changes: SettingsInput) =>
  checkSettings(settings(changes), { environment, scores: "table", hasOfflineObjects: false });
const potential = { entropyRatio: "potential", entropyEstimator: "state" } as const;

describe("settings of the entropy ratio", () => {
  test.each<[string, SettingsInput, string]>([
    ["γ = 1", { entropyGamma: 1 }, "entropyGamma: must be above 0 and below 1, except that a schedule may end at 1, got 1"],
    ["γ from 1", { entropyGamma: { from: 1, to: 0.5 } }, "entropyGamma: must be above 0 and below 1, except that a schedule may end at 1, got 1 to 0.5"],
    ["γ = 0", { entropyGamma: 0 }, "entropyGamma: "],
    ["γ above 1", { entropyGamma: { from: 0.5, to: 1.5 } }, "entropyGamma: "],
    ["γ = NaN", { entropyGamma: Number.NaN }, "entropyGamma: "],
    ["a quantile of 0", { entropyQuantile: 0 }, "entropyQuantile: "],
    ["a quantile of ½", { entropyQuantile: 0.5 }, "entropyQuantile: "],
    ["an unknown use", { entropyRatio: "bonus" as "margin" }, "entropyRatio: "],
    ["an unknown estimator", { entropyEstimator: "mean" as "clamp" }, "entropyEstimator: "],
    ["a negative coefficient", { entropyRegulariser: -1 }, "entropyRegulariser: "],
    ["a potential per batch", { entropyRatio: "potential" }, "entropyRatio: potential needs a ratio per state, but the estimator quantile gives one per batch; use state or clamp"],
    ["a margin per batch", { entropyRatio: "margin" }, "entropyRatio: margin needs a ratio per state"],
    ["a potential with tb", { ...potential, objective: "stb" }, "entropyRatio: potential has no effect with tb, because it cancels over a whole trajectory; use db, fl-db or subtb"],
    ["a potential with vargrad", { ...potential, objective: "tb", balance: "vargrad" }, "entropyRatio: potential has no effect with vargrad"],
    ["a potential with kl-literal", { ...potential, objective: "kl-literal" }, "entropyRatio: potential changes flows, but kl-literal has none; use margin"],
    ["behaviour with the regulariser", { entropyRatio: "behaviour", entropyRegulariser: 0.1 }, "entropyRatio: behaviour leaves no on-policy trajectories, but `entropyRegulariser` counts only those; use one of them"],
    ["kl-literal with another balance", { objective: "kl-literal", balance: "tb" }, "loss: kl-literal sums over the actions of each step and requires balance db and dynamics joint, got tb and joint"],
  ])("reject %s", (_, changes, message) => {
    expect(() => check(changes)).toThrow(message);
  }); // biome-ignore format: a table

  test.each<[string, SettingsInput]>([
    ["no changes", {}],
    [
      "γ that ends at 1",
      { entropyRatio: "margin", entropyEstimator: "clamp", entropyGamma: { from: 0.5, to: 1 } },
    ],
    ["behaviour with a coefficient of 0", { entropyRatio: "behaviour", entropyRegulariser: 0 }],
    ["a margin with tb", { entropyRatio: "margin", entropyEstimator: "state", objective: "stb" }],
  ])("accept %s", (_, changes) => {
    expect(() => check(changes)).not.toThrow();
  });

  test("give null if neither the ratio nor the regulariser is used", () => {
    expect(entropyRatioOf(settings({}))).toBeNull();
    expect(usesEntropyRegulariser(settings({}))).toBe(false);
  });

  test("give the options of the ratio, which is only observed for the regulariser", () => {
    expect(entropyRatioOf(settings({ entropyRegulariser: { from: 0.1, to: 0 } }))).toEqual({
      use: "observe",
      estimator: "quantile",
      gamma: 0.5,
      quantile: 0.25,
    });
    expect(entropyRatioOf(settings({ entropyRatio: "behaviour", entropyGamma: 0.1 }))).toMatchObject({
      use: "behaviour",
      gamma: 0.1,
    });
  });
});
