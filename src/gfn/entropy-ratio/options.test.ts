import { describe, expect, test } from "vitest";
import { defaultSettings } from "../defaults.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { OBJECTIVES } from "../objectives/choice.ts";
import { checkSettings, type Settings } from "../settings.ts";
import { DEFAULT_ENTROPY_RATIO, type EntropyRatioOptions, ratioUsed, regularises } from "./options.ts";

const environment = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });
const check = (changes: Partial<Settings>) => checkSettings(defaultSettings(environment, changes));
const ratio = (changes: Partial<EntropyRatioOptions>): Partial<Settings> => ({
  entropyRatio: { ...DEFAULT_ENTROPY_RATIO, ...changes },
});

describe("settings of entropies", () => {
  test.each<[string, Partial<Settings>, string]>([
    ["a use that is none", ratio({ use: "bonus" as "margin" }), "entropyRatio.use must be one of observe, behaviour, potential, margin, got bonus"],
    ["an estimator that is none", ratio({ estimator: "mean" as "clamp" }), "entropyRatio.estimator must be one of quantile, clamp, state, got mean"],
    ["γ = 0", ratio({ gamma: 0 }), "entropyRatio.gamma must be in (0, 1), and only a change of it may end at 1, got 0"],
    ["γ = 1", ratio({ gamma: 1 }), "entropyRatio.gamma must be in (0, 1), and only a change of it may end at 1, got 1"],
    ["γ from 1", ratio({ gamma: { from: 1, to: 0.5 } }), "entropyRatio.gamma must be in (0, 1), and only a change of it may end at 1, got 1 to 0.5"],
    ["γ above 1", ratio({ gamma: { from: 0.5, to: 1.5 } }), "entropyRatio.gamma must be in [0, 1], got 1.5"],
    ["NaN for γ", ratio({ gamma: Number.NaN }), "entropyRatio.gamma must be in [0, 1], got NaN"],
    ["a quantile of 0", ratio({ quantile: 0 }), "entropyRatio.quantile must be in (0, 0.5), got 0"],
    ["a quantile of ½", ratio({ quantile: 0.5 }), "entropyRatio.quantile must be in (0, 0.5), got 0.5"],
    ["a potential per batch", ratio({ use: "potential" }), "entropyRatio.use potential needs a ratio per state, and the estimator quantile gives one per batch; use state or clamp"],
    ["a margin per batch", ratio({ use: "margin" }), "entropyRatio.use margin needs a ratio per state"],
    ["a potential with tb", { ...ratio({ use: "potential", estimator: "state" }), objective: OBJECTIVES.stb }, "entropyRatio.use potential does nothing with tb, for it cancels over whole episodes; use db, fl-db or subtb"],
    ["a potential with vargrad", { ...ratio({ use: "potential", estimator: "state" }), objective: { ...OBJECTIVES.tb, balance: "vargrad" } }, "entropyRatio.use potential does nothing with vargrad"],
    ["a potential with kl-literal", { ...ratio({ use: "potential", estimator: "state" }), objective: OBJECTIVES["kl-literal"] }, "entropyRatio.use potential changes flows, and kl-literal has none; use margin"],
    ["behaviour with the regulariser", { ...ratio({ use: "behaviour" }), entropyRegulariser: { coefficient: 0.1 } }, "entropyRatio.use behaviour leaves no episodes that the policy itself drew, and entropyRegulariser counts only those; use one of them"],
    ["a negative coefficient", { entropyRegulariser: { coefficient: -1 } }, "entropyRegulariser.coefficient must be in [0, "],
    ["kl-literal with another balance", { objective: { ...OBJECTIVES["kl-literal"], balance: "tb" } }, "objective.loss: kl-literal is a sum over intentions at every step and goes with db and joint, not with tb and joint"],
  ])("refuse %s in one sentence", (_, changes, message) => {
    expect(() => check(changes)).toThrow(message);
  }); // biome-ignore format: a table

  test.each<[string, Partial<Settings>]>([
    ["nothing", {}],
    ["γ that ends at 1", ratio({ use: "margin", estimator: "clamp", gamma: { from: 0.5, to: 1 } })],
    [
      "behaviour with a coefficient that is always 0",
      { ...ratio({ use: "behaviour" }), entropyRegulariser: { coefficient: 0 } },
    ],
    ["a margin with tb", { ...ratio({ use: "margin", estimator: "state" }), objective: OBJECTIVES.stb }],
  ])("take %s", (_, changes) => {
    expect(() => check(changes)).not.toThrow();
  });

  test("say what a run uses: nothing, or the ratio that was asked for, or the default for the regulariser", () => {
    expect(ratioUsed({})).toBeNull();
    expect(ratioUsed({ entropyRegulariser: { coefficient: 0 } })).toBeNull();
    expect(regularises({ entropyRegulariser: { coefficient: 0 } })).toBe(false);
    expect(ratioUsed({ entropyRegulariser: { coefficient: { from: 0.1, to: 0 } } })).toEqual(
      DEFAULT_ENTROPY_RATIO,
    );
    expect(ratioUsed(ratio({ gamma: 0.1 }))?.gamma).toBe(0.1);
  });
});
