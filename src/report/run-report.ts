// The report page of one run: settings, distance from the target, training curves and samples.
//
// Input is the content of a run folder as plain data. It may come from another version or an untrusted source: values that
// are missing or not numbers are omitted.

import type { TrainEvent } from "../gfn/training/events.ts";
import { extent } from "./axis.ts";
import { DISTANCES, distributionChart, progressAxis } from "./charts.ts";
import { evaluationCurves } from "./evaluation-curves.ts";
import { curve, field, known } from "./event-fields.ts";
import { lineChart, type Reference } from "./line-chart.ts";
import type { Page, Section } from "./page.ts";
import { downsampledCurve } from "./series.ts";
import { settingsTable, settingText, type Table } from "./tables.ts";
import { formatCount, formatCountOf, formatDuration } from "./text-format.ts";

/** Parsed content of a run folder. */
export interface RunContents {
  /** Name of the run, e.g. of its folder. */
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly events: readonly TrainEvent[];
  /** Objects sampled at the end of the run. */
  readonly samples?: readonly SampledObject[];
  /** Short description of the source of the scores. */
  readonly scores?: string;
  /** The smallest cross-entropy that any dynamics model can reach, in nats per step. */
  readonly dynamicsFloor?: number;
}

export interface SampledObject {
  readonly sequence: string;
  /** Score of the object, before reward exponent and reward floor. */
  readonly score: number;
  /** Null if unknown. */
  readonly logProbability: number | null;
}

/** Number of best objects in the table. */
const BEST_COUNT = 15;

export function runReport(contents: RunContents): Page {
  const { name, config, samples = [] } = contents;
  return {
    title: `Run ${name}`,
    intro: introOf(contents),
    sections: [
      evaluationSection(contents),
      ...evaluationCurves(contents.events),
      trainingSection(contents),
      ...(samples.length > 0 ? [samplesSection(contents, samples)] : []),
      { heading: "Settings", tables: [settingsTable(Object.entries(config))] },
    ],
  };
}

/** Task, objective, number of iterations and duration of the run. */
function introOf({ config, events, scores }: RunContents): string {
  const { task, stick, rewardExponent, balance, dynamics, loss, batch, seed, engine } = config;
  const completed = iterationsCompleted(events);
  const [, seconds] = extent([0, ...events.map((event) => field(event, "seconds")).filter(Number.isFinite)]);
  const planned = field(config, "iterations");
  const iterations =
    completed >= planned ? formatCount(completed) : `${formatCount(completed)} of ${settingText(planned)}`;
  const state = events.at(-1)?.kind === "end" ? "" : " The run is not complete.";
  return [
    `${settingText(task)} with ${stick === undefined ? "" : `stick ${settingText(stick)} and `}reward exponent ${settingText(rewardExponent)}${scores ? `: ${scores}` : ""}.`,
    `${[balance, dynamics, loss].map(settingText).join(" + ")}, ${iterations} iterations of ${settingText(batch)} trajectories in ${formatDuration(seconds)}, seed ${settingText(seed)}, ${settingText(engine)} engine.${state}`,
  ].join("\n\n");
}

function evaluationSection({ events }: RunContents): Section {
  const evaluations = events.filter((event) => event.kind === "evaluation");
  const last = evaluations.at(-1);
  const heading = "Distance from the target";
  if (!last) return { heading, text: "The run has not been evaluated yet." };
  if (!("reached" in last)) return sampledSection(heading, evaluations);
  return {
    heading,
    text:
      "Exact, by dynamic programming. The limit is the best that any policy can reach under the noise of the environment; " +
      "uniform is the policy that chooses actions uniformly.",
    tables: [measuresTable(last)],
    figures: (["tv", "kl"] as const).map((measure) =>
      lineChart({
        title: `${DISTANCES[measure].title} over iterations`,
        x: progressAxis("iterations"),
        y: DISTANCES[measure].axis,
        panels: [
          {
            curves: [{ name: "policy", points: curve(evaluations, "reached", measure) }],
            references: (["limit", "uniform"] as const).flatMap((policy): Reference[] => {
              const y = field(last, policy, measure);
              return Number.isNaN(y) ? [] : [{ name: policy, y }];
            }),
          },
        ],
      }),
    ),
  };
}

/** Metrics estimated from samples, for environments that cannot be enumerated. */
function sampledSection(heading: string, evaluations: readonly TrainEvent[]): Section {
  const last = evaluations[evaluations.length - 1];
  const rows: readonly (readonly [string, ...string[]])[] = [
    ["samples", "samples"],
    ["distinct", "distinct"],
    ["mean score", "meanScore"],
    ["mean score of the best", "topK", "mean"],
    ["diversity of the best (mean edit distance)", "topK", "diversity"],
    ["circles among the best", "circles"],
    ["total variation of the samples", "tv"],
    ["total variation of a perfect sampler (floor)", "floor"],
  ];
  return {
    heading,
    text: "Estimated from samples.",
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
              { name: "mean", points: curve(evaluations, "sampled", "meanScore") },
              { name: "mean of the best", points: curve(evaluations, "sampled", "topK", "mean") },
            ],
          },
        ],
      }),
    ],
  };
}

function measuresTable(last: TrainEvent): Table {
  const threeColumns = (name: string, measure: string) => ({
    name,
    cells: ["reached", "limit", "uniform"].map((policy) => field(last, policy, measure)),
  });
  const policyOnly = (name: string, measure: string) => ({
    name,
    cells: [field(last, "reached", measure), "", ""],
  });
  return {
    columns: ["", "policy", "limit", "uniform"],
    rows: [
      threeColumns("total variation", "tv"),
      threeColumns("KL(target ‖ policy), nats", "kl"),
      threeColumns("expected reward", "expectedReward"),
      threeColumns("Pearson correlation of log P and log R", "pearson"),
      threeColumns("Spearman correlation", "spearman"),
      policyOnly("log Z error", "logZError"),
      policyOnly("KL(P ‖ P̂) per step, nats", "dynamicsKl"),
    ],
  };
}

function trainingSection({ events, dynamicsFloor }: RunContents): Section {
  const iterations = events.filter((event) => event.kind === "iteration");
  const evaluations = events.filter((event) => event.kind === "evaluation");
  const dynamics = known(curve(iterations, "dynamicsLoss"));
  const dynamicsKl = known(curve(evaluations, "reached", "dynamicsKl"));
  const entropyRatio = known(curve(iterations, "entropyRatio"));
  // A downsampled curve ends before the last iteration, but the axis should reach it.
  const x = { ...progressAxis("iterations"), include: [0, iterationsCompleted(events)] };
  const floor = dynamicsFloor === undefined ? [] : [{ name: "floor", y: dynamicsFloor }];
  return {
    heading: "Training",
    text: "Long curves are downsampled: the line is the mean of neighbouring points, the band their range.",
    figures: [
      lineChart({
        title: "Loss over iterations",
        ...{ x, y: { label: "loss", scale: "auto" } },
        panels: [{ curves: [downsampledCurve({ name: "loss", points: curve(iterations, "loss") })] }],
      }),
      ...(dynamics.length === 0
        ? []
        : [
            lineChart({
              title: `Dynamics loss over iterations${dynamicsFloor === undefined ? "" : ", and its floor"}`,
              ...{ x, y: { label: "cross-entropy per step", unit: "nats" } },
              panels: [
                {
                  curves: [downsampledCurve({ name: "dynamics loss", points: dynamics })],
                  references: floor,
                },
              ],
            }),
          ]),
      ...(dynamicsKl.length === 0
        ? []
        : [
            lineChart({
              title: "Exact distance of the learned dynamics from the true ones",
              ...{ x, y: { label: "KL(P ‖ P̂) per step", unit: "nats", scale: "log" } },
              panels: [{ curves: [{ name: "dynamics", points: dynamicsKl }] }],
            }),
          ]),
      ...(entropyRatio.length === 0
        ? []
        : [
            lineChart({
              title: "Entropy ratio over iterations",
              ...{ x, y: { label: "entropy ratio r", include: [1] } },
              panels: [{ curves: [downsampledCurve({ name: "entropy ratio", points: entropyRatio })] }],
            }),
          ]),
    ],
  };
}

function samplesSection({ config, events }: RunContents, samples: readonly SampledObject[]): Section {
  const counts = new Map<string, number>();
  for (const { sequence } of samples) counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
  const distinct = [...new Map(samples.map((sample) => [sample.sequence, sample])).values()];
  const best = distinct.toSorted((a, b) => b.score - a.score).slice(0, BEST_COUNT);
  const exponent = field(config, "rewardExponent");
  const beta = Number.isFinite(exponent) ? exponent : 1;
  const points = distinct.flatMap(({ score, logProbability }) =>
    logProbability === null ? [] : [{ x: beta * Math.log(score), y: logProbability }],
  );
  return {
    heading: "Samples",
    text: `${formatCount(samples.length)} objects sampled at the end, ${formatCount(distinct.length)} of them distinct.${modesText(events.at(-1))}`,
    tables: [
      {
        caption: `Best ${best.length} objects`,
        columns: ["object", "score", "log P", "count"],
        rows: best.map(({ sequence, score, logProbability }) => ({
          name: sequence,
          cells: [score, logProbability ?? "–", counts.get(sequence) ?? 0],
        })),
      },
    ],
    figures:
      points.length === 0
        ? []
        : [
            distributionChart(points, [
              `Sampled objects; R = score to the power ${beta}, without the floor.`,
            ]),
          ],
  };
}

/** Number of modes among the sampled objects, from the last event of the run. */
function modesText(end: TrainEvent | undefined): string {
  const modes = (...path: readonly string[]) => field(end, "metrics", "modes", ...path);
  const setText = (kind: string, name: string) => {
    const expected = modes(kind, "expected");
    const perfect = Number.isNaN(expected) ? "" : ` (a perfect sampler: ${expected.toFixed(1)})`;
    return `${modes(kind, "found")} of ${modes(kind, "of")} ${name}${perfect}`;
  };
  const parts = [
    [modes("circles"), `${formatCountOf(modes("circles"), "circle")} among the best 100`],
    [modes("knownModes", "of"), setText("knownModes", "known modes")],
    [modes("localMaxima", "of"), setText("localMaxima", "local maxima")],
  ] as const;
  const texts = parts.flatMap(([value, text]) => (Number.isNaN(value) ? [] : [text]));
  return texts.length > 0 ? ` Modes: ${texts.join(", ")}.` : "";
}

function iterationsCompleted(events: readonly TrainEvent[]): number {
  return extent([0, ...events.map((event) => field(event, "iteration")).filter(Number.isFinite)])[1];
}
