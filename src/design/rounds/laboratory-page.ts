// The page of rounds with a laboratory: the plate to order next, earlier rounds, and what the results show.

import { join } from "node:path";
import { tokenText } from "../../constraints/index.ts";
import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { withDiskErrors } from "../../disk/run-error.ts";
import type { ConstrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import type { Page } from "../../report/page.ts";
import { pageText } from "../../report/page-file.ts";
import { roundsSections } from "../../report/rounds-report.ts";
import { formatCountOf } from "../../report/text-format.ts";
import type { ScoredDesign } from "../candidates.ts";
import { DESIGN_FILES } from "../design-folder.ts";
import type { Round } from "./propose-round.ts";

export interface LaboratoryPage {
  /** Name of the problem. */
  readonly name: string;
  readonly environment: Pick<ConstrainedSequenceEnvironment, "name" | "space">;
  readonly direction: "maximise" | "minimise";
  readonly rounds: readonly Round[];
  /** All strings with results. */
  readonly scored: readonly ScoredDesign[];
}

export function laboratoryPage({ name, environment, direction, rounds, scored }: LaboratoryPage): Page {
  const { tokens } = environment.space;
  const text = tokenText(tokens);
  return {
    title: `Design ${name}`,
    intro: `${environment.name}, scored by measurements. ${formatCountOf(scored.length, "string")} ${scored.length === 1 ? "has" : "have"} a result, ${formatCountOf(rounds.length, "round")} ${rounds.length === 1 ? "was" : "were"} proposed.`,
    sections: roundsSections({
      ...{ tokens, direction, rounds },
      scored: scored.map(({ string, score }) => ({ text: string, letters: text.parse(string), score })),
    }),
  };
}

/** Writes the page into the folder, from which a report is made. */
export async function writeLaboratoryPage(folder: string, page: LaboratoryPage): Promise<void> {
  const file = join(folder, DESIGN_FILES.page);
  await withDiskErrors("written", file, () => writeFileAtomically(file, pageText(laboratoryPage(page))));
}
