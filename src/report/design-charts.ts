// Charts of a design: score against distance from known strings, and scores and circles against oracle calls.

import { progressAxis } from "./charts.ts";
import { lineChart } from "./line-chart.ts";
import { type PointGroup, scatterChart } from "./scatter-chart.ts";
import type { Point } from "./series.ts";

/** The distance of strings, and which circles are counted. */
export interface CirclesMeasure {
  readonly distance: "hamming" | "edit";
  /** k: the number of best strings that are visited. */
  readonly top: number;
  /** r: circles are farther apart than this. */
  readonly radius: number;
}

/** A scored string, with its distance from the nearest known one. */
export interface ScoredDistance {
  readonly score: number;
  readonly distance: number;
  /** Whether it is the best of its circle. */
  readonly isCentre: boolean;
}

/** The names of distances in charts and tables. */
export const DISTANCE_NAMES = { hamming: "Hamming distance", edit: "edit distance" } as const;

/** Dots of the same distance are spread sideways by at most this. */
const SPREAD = 0.3;
/** Multiples of the golden ratio fill an interval evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Score against the distance from the nearest known string; the centres of circles have their own colour. */
export function scoreDistanceChart({
  items,
  measure,
  scoreName = "score",
}: {
  readonly items: readonly ScoredDistance[];
  readonly measure: CirclesMeasure["distance"];
  readonly scoreName?: string;
}): string {
  const points = items.map(({ score, distance, isCentre }, i) => ({
    ...{ x: distance + SPREAD * (2 * ((i * GOLDEN) % 1) - 1), y: score, isCentre },
  }));
  const groups: readonly PointGroup[] = [
    { name: "candidate", points: points.filter(({ isCentre }) => !isCentre) },
    { name: "best of its circle", points: points.filter(({ isCentre }) => isCentre) },
  ];
  return scatterChart({
    title: "Score against distance from known strings",
    x: {
      label: `${DISTANCE_NAMES[measure]} from the nearest known string`,
      integerTicks: true,
      include: [0],
    },
    y: { label: scoreName },
    points: groups.filter((group) => group.points.length > 0),
    notes: [`Distances are whole numbers; dots are spread sideways by up to ${SPREAD}.`],
  });
}

/** Circles against oracle calls, one curve per method. */
export function circlesChart({
  curves,
  measure: { distance, top, radius },
}: {
  readonly curves: readonly { readonly name: string; readonly points: readonly Point[] }[];
  readonly measure: CirclesMeasure;
}): string {
  return lineChart({
    title: "Circles against oracle calls",
    x: progressAxis("oracle calls"),
    y: { label: `circles(${top}, ${radius})`, include: [0], integerTicks: true },
    panels: [{ curves }],
    notes: [
      `Of the ${top} best strings so far, the number that are pairwise more than ${radius} apart (${DISTANCE_NAMES[distance]}).`,
    ],
  });
}

/** The best score and the mean of the best k against oracle calls. */
export function scoresChart({
  best,
  topMean,
  top,
  scoreName = "score",
}: {
  readonly best: readonly Point[];
  readonly topMean: readonly Point[];
  readonly top: number;
  readonly scoreName?: string;
}): string {
  return lineChart({
    title: "Scores against oracle calls",
    x: progressAxis("oracle calls"),
    y: { label: scoreName },
    panels: [
      {
        curves: [
          { name: "best", points: best },
          { name: `mean of the best ${top}`, points: topMean },
        ],
      },
    ],
  });
}
