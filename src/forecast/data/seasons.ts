// The seasons of a panel: the shortest is the season, and others, such as the week of half-hourly rows, are further ones.

import type { Frequency, Panel } from "../types.ts";
import { defaultSeason } from "./frequency.ts";

/** One season in steps, or several. */
export type SeasonOption = number | readonly number[];

/** The seasons that are given, or the default season of a frequency. */
export function panelSeasons(
  given: SeasonOption | undefined,
  frequency: Frequency | null,
): Pick<Panel, "season" | "furtherSeasons"> {
  if (given === undefined) return { season: defaultSeason(frequency) };
  if (typeof given === "number") return { season: given };
  const [season, ...further] = [...new Set(given)].sort((a, b) => a - b);
  return { season, ...(further.length > 0 && { furtherSeasons: further }) };
}

/** The seasons as text, such as "48 and 336". */
export function seasonsText({
  season,
  furtherSeasons = [],
}: Pick<Panel, "season" | "furtherSeasons">): string {
  return [season, ...furtherSeasons].join(" and ");
}
