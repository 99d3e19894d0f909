// Thought against outcome: the true kernel, the learned one, and their difference.

import { dynamicsChart } from "../../src/report/dynamics-chart.ts";
import type { DynamicsView } from "../../src/views/view-data.ts";
import { Choice } from "../components/parts.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

const ALL = "all";

export function Dynamics({ data, choice, choose }: ViewProps<DynamicsView>) {
  const { steps, learned } = data;
  const step = steps.find((each) => each.step === choice.step)?.step;
  return (
    <div class="stack">
      {steps.length > 0 && (
        <Choice
          label="Step"
          value={String(step ?? ALL)}
          options={[
            [ALL, "all steps together"],
            ...steps.map((each) => [String(each.step), `step ${each.step}`] as const),
          ]}
          onChange={(value) => choose({ step: value === ALL ? null : Number(value) })}
        />
      )}
      <SvgFigure key={step} data={data} draw={(view) => dynamicsChart(view, step)} />
      {learned === null && (
        <p class="faint">The run has no dynamics model: it knows the kernel, or ignores it.</p>
      )}
    </div>
  );
}
