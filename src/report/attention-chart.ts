// Attention of a history encoder along one trajectory: a matrix of weights for each layer and head.

import { heatMap } from "./heat-map.ts";
import type { ViewNotes } from "./view-notes.ts";

export interface AttentionChartData extends ViewNotes {
  /** What the encoder reads at each position. */
  readonly tokens: readonly string[];
  /** [layer][head][query][key]; keys after the query are 0. */
  readonly weights: readonly (readonly (readonly (readonly number[])[])[])[];
}

/** Heads in a row at most. */
const MOST_HEADS = 4;

/** The layer and the head that are drawn, counted from 0. Default: all. */
export interface AttentionChoice {
  readonly layer?: number;
  readonly head?: number;
}

/** One row of panels per layer. Keys after the query, which an encoder cannot see, have no colour. */
export function attentionChart(
  { tokens, weights, notes }: AttentionChartData,
  { layer: onlyLayer, head: onlyHead }: AttentionChoice = {},
): string {
  const heads = onlyHead === undefined ? Math.max(0, ...weights.map(({ length }) => length)) : 1;
  const isDrawn = (i: number, only: number | undefined) => only === undefined || i === only;
  return heatMap({
    title: "Attention of the history encoder along one trajectory",
    rows: { label: "position that attends", names: tokens },
    columns: { label: "position attended to", names: tokens },
    panels: weights.flatMap((layer, i) =>
      layer.flatMap((matrix, j) =>
        !isDrawn(i, onlyLayer) || !isDrawn(j, onlyHead)
          ? []
          : [
              {
                title: `layer ${i + 1}, head ${j + 1}`,
                values: matrix.map((row, query) => row.map((value, key) => (key > query ? null : value))),
                colours: { palette: "sequential" as const, label: "attention weight", most: 1, root: true },
              },
            ],
      ),
    ),
    ...{ perRow: Math.min(heads, MOST_HEADS), numbers: true },
    notes: [...notes, "Each row sums to 1."],
    emptyNote: "A position cannot attend to later ones.",
  });
}
