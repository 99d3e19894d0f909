// Distances and losses over the iterations, beside the limit and earlier trainings.

import { useSignal } from "@preact/signals";
import type { ChartLine, ChartReference } from "../components/chart-math.ts";
import { CurveChart } from "../components/curve-chart.tsx";
import { Check, Segments } from "../components/parts.tsx";
import { seriesVariable } from "../figure-theme.ts";
import { type Curves, type Playground, usePlayground } from "./store.ts";

const METRICS = [
  ["tv", "Total variation"],
  ["kl", "KL"],
  ["loss", "Loss"],
] as const;
type Metric = (typeof METRICS)[number][0];

const HEIGHT = 250;
/** A limit below this is 0 but for rounding. */
const SMALLEST = 1e-6;

export function CurvePanel() {
  const playground = usePlayground();
  const metric = useSignal<Metric>("tv");
  const isLog = useSignal(false);
  const lines = linesOf(playground, metric.value);
  const name = METRICS.find(([each]) => each === metric.value)?.[1] ?? "";
  return (
    <section class="card stack" aria-labelledby="curves-title">
      <div class="line spread">
        <h2 id="curves-title">{name} over the training</h2>
        <div class="line">
          <Check
            label="Log axis"
            isChecked={isLog.value}
            onChange={(checked) => {
              isLog.value = checked;
            }}
          />
          <Segments
            label="Curve"
            value={metric.value}
            options={METRICS}
            onChange={(chosen) => {
              metric.value = chosen;
            }}
          />
        </div>
      </div>
      <CurveChart
        label={`${name} over the iterations of ${lines.length} ${lines.length === 1 ? "training" : "trainings"}`}
        lines={lines}
        references={referencesOf(playground, metric.value)}
        xLabel="iteration"
        yLabel={name.toLowerCase()}
        scale={isLog.value ? "log" : "linear"}
        height={HEIGHT}
      />
      <Legend lines={lines} />
    </section>
  );
}

function Legend({ lines }: { readonly lines: readonly ChartLine[] }) {
  const { earlier, forgetEarlier } = usePlayground();
  if (earlier.value.length === 0) {
    return (
      <p class="small faint">
        Change a setting and train again: the curve of this training stays for comparison.
      </p>
    );
  }
  return (
    <ul class="legend" data-test="legend">
      {lines.map(({ id, label, colour }) => (
        <li key={id} class="line">
          <span class="swatch" style={{ color: `var(${colour})` }} /> {label}
        </li>
      ))}
      <li>
        <button type="button" class="plain" onClick={forgetEarlier}>
          Forget earlier trainings
        </button>
      </li>
    </ul>
  );
}

function linesOf({ curves, earlier, settings }: Playground, metric: Metric): ChartLine[] {
  const now: Curves = curves.value ?? { settings: settings.value, losses: [], evaluations: [] };
  const before = earlier.value.map((each, i) => lineOf(each, metric, i + 1));
  return [...before.reverse(), lineOf(now, metric, 0)];
}

function lineOf({ settings, losses, evaluations }: Curves, metric: Metric, index: number): ChartLine {
  const { objective, stick } = settings;
  const points =
    metric === "loss"
      ? { x: losses.map((_, i) => i + 1), y: losses }
      : { x: evaluations.map(({ iteration }) => iteration), y: evaluations.map((each) => each[metric]) };
  return {
    id: `${index}`,
    label: `${index === 0 ? "now: " : ""}${objective}, noise ${stick}`,
    ...{ colour: seriesVariable(index), dash: index === 0 ? [] : [6, 4], width: index === 0 ? 2 : 1.5 },
    ...{ opacity: index === 0 ? 1 : 0.75, ...points },
  };
}

function referencesOf({ problem }: Playground, metric: Metric): ChartReference[] {
  const shown = problem.value;
  if (shown === null || metric === "loss") return [];
  return [
    { label: "limit: the best reachable", value: shown.limit[metric] < SMALLEST ? 0 : shown.limit[metric] },
    { label: "uniform policy", value: shown.uniform[metric] },
  ];
}
