// The reward of the strings of a design, as its run used it: from the copy of the problem file and the scores.

import { join } from "node:path";
import { DESIGN_FILES, readDesignKey } from "../design/design-folder.ts";
import { shapingOf } from "../design/design-run.ts";
import { shapeReward } from "../design/reward-shaper.ts";
import { readText } from "../disk/open-file.ts";
import { isConstrained } from "../gfn/environment/capabilities.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import type { SavedScores } from "../gfn/reward/cached-score-function.ts";
import { parseText, plainValue } from "../problem/document.ts";
import { parseProblem } from "../problem/read-problem.ts";

export interface DesignReward {
  logRewardOf(score: number): number;
  readonly notes: readonly string[];
}

/** Null if the folder is not that of a design. `saved` has the known strings first. */
export async function designReward(
  folder: string,
  environment: Environment,
  saved: SavedScores,
): Promise<DesignReward | null> {
  const key = await readDesignKey(folder).catch(() => null);
  const text = await readText(join(folder, DESIGN_FILES.problem)).catch(() => null);
  if (!key || text === null) return null;
  const parsed = parseText(text, false);
  const problem = ("root" in parsed ? plainValue(parsed.root) : null) as {
    readonly reward?: unknown;
    readonly noise?: { readonly when?: unknown };
  } | null;
  try {
    // Only the reward is read: files that the problem names may be elsewhere.
    const { reward } = (
      await parseProblem({
        alphabet: "DNA",
        length: 1,
        ...(problem?.reward !== undefined && { reward: problem.reward }),
      })
    ).problem;
    if (problem?.noise?.when === "after") {
      // The run freezes the floor after a number of designs that its files do not have.
      const shaped = shapeReward(
        Array.from(saved.scores),
        { known: 0, budget: Number.POSITIVE_INFINITY },
        { ...shapingOf({ reward }), scale: "none" },
      );
      return {
        logRewardOf: (score) => shaped.logReward(score),
        notes: ["Rewards are expected rewards after errors of synthesis."],
      };
    }
    const known = key.known.length;
    const isPaid = (i: number) =>
      i < known || !isConstrained(environment) || environment.isLegal(saved.objects[i]);
    const scores = Array.from(saved.scores).filter((_, i) => isPaid(i));
    const budget = key.oracle === null ? 0 : Math.max(key.budget - key.calls, 0);
    const shaped = shapeReward(scores, { known, budget }, shapingOf({ reward }));
    const exponent = Number(shaped.exponent.toPrecision(3));
    const scale = shaped.scale === "none" ? "" : ` after scaling (${shaped.scale})`;
    return {
      logRewardOf: (score) => shaped.logReward(score),
      notes: [`The reward is the score to the power ${exponent}${scale}.`],
    };
  } catch {
    return {
      logRewardOf: (score) => Math.log(Math.max(score, Number.MIN_VALUE)),
      notes: ["The reward of the problem file cannot be read; the logarithm of the score stands for it."],
    };
  }
}
