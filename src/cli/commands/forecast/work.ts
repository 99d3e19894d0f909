// What was done, as a page says it: enough to do it again.

import type { ForecastWork } from "../../../report/forecast-report.ts";
import { readVersion } from "../../version.ts";
import { inShell } from "../../words.ts";

export function workOf(
  about: Pick<ForecastWork, "data" | "horizon" | "seed"> & Pick<ForecastWork, "settings">,
): ForecastWork {
  return {
    ...about,
    command: `gflownet ${process.argv.slice(2).map(inShell).join(" ")}`,
    versions: { gflownet: readVersion(), node: process.versions.node },
  };
}
