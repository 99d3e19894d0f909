// A report of some entries as a file to download, with views from the thread that computes them.

import type { EntryIndex, IndexedEntry } from "../views/entry-index.ts";
import type { MetricStore } from "../views/metric-store.ts";
import type { XAxis } from "../views/page-data.ts";
import { reportData } from "../views/report-data.ts";
import { reportTemplate } from "../views/report-file.ts";
import { RequestError } from "./request-error.ts";
import type { ViewThread } from "./view-thread.ts";

/** Reports that are made at a time, and characters of the state that a page opens with. */
const [MOST_REPORTS, LONGEST_STATE] = [2, 2 ** 15];

export interface ReportParts {
  readonly index: EntryIndex;
  readonly store: MetricStore;
  readonly views: ViewThread;
  readonly version: string;
}

export class ReportMaker {
  readonly #parts: ReportParts;
  #count = 0;

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /** The HTML of a report. `state` is the hash of the page that asks for it. */
  async make(chosen: readonly IndexedEntry[], state: string): Promise<string> {
    if (this.#count >= MOST_REPORTS) {
      throw new RequestError(503, `${MOST_REPORTS} reports are being made; try again in a moment`);
    }
    this.#count++;
    try {
      const { index, store, version, views } = this.#parts;
      const template = await reportTemplate();
      const data = await reportData(chosen, await index.entries(), {
        ...{ largest: template.largestData, store, version, ...shownBy(state) },
        async view(folder, view, options) {
          const reply = await views.compute({ folder, view, options });
          if ("problem" in reply) throw new Error(reply.problem);
          return reply.data;
        },
      });
      return template.html(data);
    } finally {
      this.#count--;
    }
  }
}

/** What the page shows: its x axis, and the column `at` of its table. */
function shownBy(state: string): { readonly state?: string; readonly x?: XAxis; readonly at?: number } {
  if (!state.startsWith("#/") || state.length > LONGEST_STATE) return {};
  const parts = new URLSearchParams(state.split(/\?(.*)/s)[1] ?? "");
  const x = (["iteration", "calls", "seconds"] as const).find((axis) => axis === parts.get("x"));
  const at = parts.get("at");
  const isNumber = at !== null && at.trim() !== "" && Number.isFinite(Number(at));
  return { state, ...(x && { x }), ...(isNumber && { at: Number(at) }) };
}
