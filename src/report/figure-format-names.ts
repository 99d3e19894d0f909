// Names of the formats of figures, in a file without imports, because `--help` loads it.

export const FIGURE_FORMATS = ["svg", "png", "pdf"] as const;
export type FigureFormat = (typeof FIGURE_FORMATS)[number];
