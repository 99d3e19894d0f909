// The report of one run: what it was, how near it came to the best reachable, how it learned, and what it draws.
//
// From the contents of a run's folder as plain data. They may be of another version or of a stranger: what is missing or
// is no number is left out.

import type { TrainEvent } from "../gfn/events.ts";
import { extent } from "./axis.ts";
import { DISTANCES, distribution, progressAxis } from "./charts.ts";
import { lineChart, type Reference } from "./line-chart.ts";
import type { Page, Section } from "./page.ts";
import { type Point, thinned } from "./series.ts";
import type { Cell, Table } from "./tables.ts";
import { count, duration } from "./text-table.ts";

/** What is in a run's folder, read. */
export interface RunContents {
  /** What the run is called, as the name of its folder. */
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly events: readonly TrainEvent[];
  /** Objects that were drawn at the end. */
  readonly samples?: readonly DrawnObject[];
  /** What the scores really are, in a few words. */
  readonly scores?: string;
  /** The least cross-entropy that any dynamics model can have, in nats per step. */
  readonly dynamicsFloor?: number;
}

export interface DrawnObject {
  readonly sequence: string;
  /** Before exponent and floor. */
  readonly score: number;
  /** Null if it is not known. */
  readonly logProbability: number | null;
}

/** Objects listed as the best. */
const BEST = 15;

export function runReport(contents: RunContents): Page {
  const { name, config, samples = [] } = contents;
  return {
    title: `Run ${name}`,
    intro: introOf(contents),
    sections: [
      reachedSection(contents),
      learningSection(contents),
      ...(samples.length > 0 ? [drawnSection(contents, samples)] : []),
      { heading: "Settings", tables: [settingsTable(config)] },
    ],
  };
}

/** What was trained, how far, and how long it took. */
function introOf({ config, events, scores }: RunContents): string {
  const { task, stick, rewardExponent, balance, dynamics, loss, batch, seed, engine } = config;
  const made = iterationsMade(events);
  const [, seconds] = extent([0, ...events.map((event) => field(event, "seconds")).filter(Number.isFinite)]);
  const wanted = field(config, "iterations");
  const done = made >= wanted ? count(made) : `${count(made)} of ${shown(wanted)}`;
  const state = events.at(-1)?.kind === "end" ? "" : " The run is not complete.";
  return [
    `${shown(task)} with ${stick === undefined ? "" : `stick ${shown(stick)} and `}reward exponent ${shown(rewardExponent)}${scores ? `: ${scores}` : ""}.`,
    `${[balance, dynamics, loss].map(shown).join(" + ")}, ${done} iterations of ${shown(batch)} episodes in ${duration(seconds)}, seed ${shown(seed)}, ${shown(engine)} engine.${state}`,
  ].join("\n\n");
}

function reachedSection({ events }: RunContents): Section {
  const evaluations = events.filter((event) => event.kind === "evaluation");
  const last = evaluations.at(-1);
  const heading = "What was reached";
  if (!last) return { heading, text: "The run was not evaluated yet." };
  if (!("reached" in last)) return sampledSection(heading, evaluations);
  return {
    heading,
    text:
      "Exact, by dynamic programming. The limit is the best that any policy can reach under the environment's noise; " +
      "uniform is a policy that chooses at random.",
    tables: [reachedTable(last)],
    figures: (["tv", "kl"] as const).map((measure) =>
      lineChart({
        title: `${DISTANCES[measure].title} over iterations`,
        x: progressAxis("iterations"),
        y: DISTANCES[measure].axis,
        panels: [
          {
            curves: [{ name: "reached", points: course(evaluations, "reached", measure) }],
            references: (["limit", "uniform"] as const).flatMap((whose): Reference[] => {
              const y = field(last, whose, measure);
              return Number.isNaN(y) ? [] : [{ name: whose, y }];
            }),
          },
        ],
      }),
    ),
  };
}

/** Where states cannot be listed, all that is known comes from samples. */
function sampledSection(heading: string, evaluations: readonly TrainEvent[]): Section {
  const last = evaluations[evaluations.length - 1];
  const rows: readonly (readonly [string, ...string[]])[] = [
    ["samples", "samples"],
    ["distinct", "distinct"],
    ["mean score", "meanScore"],
    ["mean score of the best", "topK", "mean"],
    ["diversity of the best (mean edit distance)", "topK", "diversity"],
    ["modes among the best", "modes"],
    ["total variation of the samples", "tv"],
    ["the same of a perfect sampler", "floor"],
  ];
  return {
    heading,
    text: "From samples.",
    tables: [
      {
        columns: ["", "last"],
        rows: rows.map(([name, ...path]) => ({ name, cells: [field(last, "sampled", ...path)] })),
      },
    ],
    figures: [
      lineChart({
        title: "Scores over iterations",
        x: progressAxis("iterations"),
        y: { label: "score" },
        panels: [
          {
            curves: [
              { name: "mean", points: course(evaluations, "sampled", "meanScore") },
              { name: "mean of the best", points: course(evaluations, "sampled", "topK", "mean") },
            ],
          },
        ],
      }),
    ],
  };
}

function reachedTable(last: TrainEvent): Table {
  const all = (name: string, measure: string) => ({
    name,
    cells: ["reached", "limit", "uniform"].map((whose) => field(last, whose, measure)),
  });
  const own = (name: string, measure: string) => ({ name, cells: [field(last, "reached", measure), "", ""] });
  return {
    columns: ["", "reached", "limit", "uniform"],
    rows: [
      all("total variation", "tv"),
      all("KL(target ‖ policy), nats", "kl"),
      all("expected reward", "expectedReward"),
      all("Pearson correlation of log P and log R", "pearson"),
      all("Spearman correlation", "spearman"),
      own("log Z error", "logZError"),
      own("KL(K ‖ P̂) per step, nats", "dynamicsKl"),
    ],
  };
}

function learningSection({ events, dynamicsFloor }: RunContents): Section {
  const iterations = events.filter((event) => event.kind === "iteration");
  const evaluations = events.filter((event) => event.kind === "evaluation");
  const dynamics = course(iterations, "dynamicsLoss").filter(({ y }) => !Number.isNaN(y));
  const dynamicsKl = course(evaluations, "reached", "dynamicsKl").filter(({ y }) => !Number.isNaN(y));
  // Means of neighbours end before the last of them.
  const x = { ...progressAxis("iterations"), include: [0, iterationsMade(events)] };
  const floor = dynamicsFloor === undefined ? [] : [{ name: "floor", y: dynamicsFloor }];
  return {
    heading: "How it learned",
    text: "Where there are more points than can be seen, the line is the mean of neighbours and the band their range.",
    figures: [
      lineChart({
        title: "Loss over iterations",
        ...{ x, y: { label: "loss", scale: "auto" } },
        panels: [{ curves: [thinned({ name: "loss", points: course(iterations, "loss") })] }],
      }),
      ...(dynamics.length === 0
        ? []
        : [
            lineChart({
              title: `Dynamics loss over iterations${dynamicsFloor === undefined ? "" : ", and its floor"}`,
              ...{ x, y: { label: "cross-entropy per step", unit: "nats" } },
              panels: [{ curves: [thinned({ name: "dynamics loss", points: dynamics })], references: floor }],
            }),
          ]),
      ...(dynamicsKl.length === 0
        ? []
        : [
            lineChart({
              title: "Exact distance of the learned dynamics from the true ones",
              ...{ x, y: { label: "KL(K ‖ P̂) per step", unit: "nats", scale: "log" } },
              panels: [{ curves: [{ name: "dynamics", points: dynamicsKl }] }],
            }),
          ]),
    ],
  };
}

function drawnSection({ config, events }: RunContents, samples: readonly DrawnObject[]): Section {
  const times = new Map<string, number>();
  for (const { sequence } of samples) times.set(sequence, (times.get(sequence) ?? 0) + 1);
  const distinct = [...new Map(samples.map((sample) => [sample.sequence, sample])).values()];
  const best = distinct.toSorted((a, b) => b.score - a.score).slice(0, BEST);
  const exponent = field(config, "rewardExponent");
  const power = Number.isFinite(exponent) ? exponent : 1;
  const known = distinct.flatMap(({ score, logProbability }) =>
    logProbability === null ? [] : [{ x: power * Math.log(score), y: logProbability }],
  );
  return {
    heading: "What it draws",
    text: `${count(samples.length)} objects drawn at the end, ${count(distinct.length)} of them different.${modesText(events.at(-1))}`,
    tables: [
      {
        caption: `The best ${best.length}`,
        columns: ["object", "score", "log P", "times drawn"],
        rows: best.map(({ sequence, score, logProbability }) => ({
          name: sequence,
          cells: [score, logProbability ?? "–", times.get(sequence) ?? 0],
        })),
      },
    ],
    figures:
      known.length === 0
        ? []
        : [
            distribution(known, [
              `Objects that were drawn; R = score to the power ${power}, without its floor.`,
            ]),
          ],
  };
}

function settingsTable(config: RunContents["config"]): Table {
  return {
    columns: ["setting", "value"],
    rows: Object.entries(config).map(([name, value]) => ({ name, cells: [shown(value)] satisfies Cell[] })),
  };
}

/** How many modes are among the objects drawn, as the last event tells. */
function modesText(end: TrainEvent | undefined): string {
  const modes = (...path: readonly string[]) => field(end, "metrics", "modes", ...path);
  const parts = [
    [modes("greedy"), `${modes("greedy")} far apart among the best 100`],
    [modes("recall"), `${(100 * modes("recall")).toFixed(0)} % of the known modes`],
    [
      modes("localMaxima", "of"),
      `${modes("localMaxima", "found")} of ${modes("localMaxima", "of")} local maxima`,
    ],
  ] as const;
  const known = parts.flatMap(([value, text]) => (Number.isNaN(value) ? [] : [text]));
  return known.length > 0 ? ` Modes: ${known.join(", ")}.` : "";
}

function iterationsMade(events: readonly TrainEvent[]): number {
  return extent([0, ...events.map((event) => field(event, "iteration")).filter(Number.isFinite)])[1];
}

/** A number of events over their iterations. */
function course(events: readonly TrainEvent[], ...path: readonly string[]): Point[] {
  return events.map((event) => ({ x: field(event, "iteration"), y: field(event, ...path) }));
}

/** The number at a path; NaN where there is none. */
function field(value: unknown, ...path: readonly string[]): number {
  let inner = value;
  for (const name of path) inner = (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof inner === "number" ? inner : Number.NaN;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "–");
}
