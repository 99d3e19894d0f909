// The section of a run's report with modes, expected reward and log Z over iterations.

import type { TrainEvent } from "../gfn/training/events.ts";
import { progressAxis } from "./charts.ts";
import { curve, field, known } from "./event-fields.ts";
import { lineChart, type Reference } from "./line-chart.ts";
import type { Section } from "./page.ts";
import { formatCountOf } from "./text-format.ts";

/** Modes, expected reward and log Z over iterations, as far as the evaluations have them. */
export function evaluationCurves(events: readonly TrainEvent[]): Section[] {
  const evaluations = events.filter((event) => event.kind === "evaluation");
  const last = evaluations.at(-1);
  const figures = [
    ...modesFigures(evaluations),
    ...evaluationFigure(evaluations, ["reached", "expectedReward"], {
      title: "Expected reward over iterations",
      label: "expected reward",
      references: { limit: ["limit", "expectedReward"], uniform: ["uniform", "expectedReward"] },
    }),
    ...evaluationFigure(evaluations, ["reached", "logZError"], {
      title: "Error of log Z over iterations",
      label: "learned log Z − true log Z",
    }),
  ];
  if (figures.length === 0) return [];
  const samples = [field(last, "modes", "samples"), field(last, "sampled", "samples")].find(Number.isFinite);
  return [
    {
      heading: "Modes, reward and log Z",
      text: [
        ...(samples === undefined ? [] : [`Each point counts modes in ${formatCountOf(samples, "sample")}.`]),
        "A policy with more expected reward than the limit has less diversity.",
      ].join(" "),
      figures,
    },
  ];
}

/** The number of circles, and for the modes of the task (else its local maxima) how many were sampled beside a
 * perfect sampler, and their probability beside that of the target. */
function modesFigures(evaluations: readonly TrainEvent[]): string[] {
  const last = evaluations.at(-1);
  const hasKnown = !Number.isNaN(field(last, "modes", "knownModes", "of"));
  const [kind, name] = hasKnown
    ? (["knownModes", "known modes"] as const)
    : (["localMaxima", "local maxima"] as const);
  const all = field(last, "modes", kind, "of");
  const circles = { title: "Circles among the best samples", label: "circles", from: 0 };
  return [
    ...evaluationFigure(evaluations, ["modes", "circles"], circles),
    ...evaluationFigure(evaluations, ["sampled", "circles"], circles),
    ...evaluationFigure(evaluations, ["modes", kind, "found"], {
      title: `Number of the ${all} ${name} that were sampled`,
      label: name,
      from: 0,
      references: { "perfect sampler": ["modes", kind, "expected"] },
    }),
    ...evaluationFigure(evaluations, ["modes", kind, "probability"], {
      title: `Probability of the ${all} ${name}`,
      label: "probability",
      from: 0,
      references: { target: ["modes", kind, "targetProbability"] },
    }),
  ];
}

interface EvaluationFigure {
  readonly title: string;
  readonly label: string;
  /** A value that the axis includes. */
  readonly from?: number;
  /** Paths of the numbers that the last evaluation compares with. */
  readonly references?: Readonly<Record<string, readonly string[]>>;
}

/** The curve of a number of the evaluations; no figure if they do not have it. */
function evaluationFigure(
  evaluations: readonly TrainEvent[],
  path: readonly string[],
  { title, label, from, references = {} }: EvaluationFigure,
): string[] {
  const points = known(curve(evaluations, ...path));
  if (points.length === 0) return [];
  const lines = Object.entries(references)
    .map(([name, at]): Reference => ({ name, y: field(evaluations.at(-1), ...at) }))
    .filter(({ y }) => !Number.isNaN(y));
  return [
    lineChart({
      title,
      x: progressAxis("iterations"),
      y: { label, ...(from !== undefined && { include: [from] }) },
      panels: [{ curves: [{ name: "policy", points }], references: lines }],
    }),
  ];
}
