// Notes about models for which the naive forecast took the place of the method in some forecasts.

import { formatCount } from "../../report/text-format.ts";
import type { ModelResult } from "./backtest.ts";

export function substituteNotes(models: readonly Pick<ModelResult, "name" | "cases">[]): string[] {
  return models.flatMap(({ name, cases }) => {
    const count = cases.filter(({ forecast }) => forecast.isSubstitute).length;
    if (count === 0) return [];
    const share = `${formatCount(count)} of ${formatCount(cases.length)} forecasts`;
    return [
      `${name} is the naive forecast in ${share}, because the rows before the cutoff are too few, constant, or below 0 for it`,
    ];
  });
}
