// The provenance of a page: the command, the data and the versions, enough to repeat it.

import type { PanelFile } from "../../../forecast/data/panel-file.ts";
import { dataSummary, horizonSummary } from "../../../forecast/report/data-summary.ts";
import type { Provenance } from "../../../forecast/report/forecast-report.ts";
import { shellPath } from "../../paths.ts";
import { readVersion } from "../../version.ts";

export function provenanceOf(
  file: PanelFile,
  { horizon, ...about }: { readonly horizon: number } & Pick<Provenance, "seed" | "settings">,
): Provenance {
  return {
    ...about,
    data: dataSummary(file),
    horizon: horizonSummary(horizon, file.panel),
    command: `gflownet ${process.argv.slice(2).map(shellPath).join(" ")}`,
    versions: { gflownet: readVersion(), node: process.versions.node },
  };
}
