// Residuals of the balance over training and by step, and the terms that they consist of.

import { residualChart, residualTermsChart } from "../../src/report/residual-charts.ts";
import { formatCount } from "../../src/report/text-format.ts";
import type { ResidualView } from "../../src/views/view-data.ts";
import { Slider } from "../components/parts.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import { indexIn, type ViewProps } from "./view-props.ts";

export function Residuals({ data, choice, choose }: ViewProps<ResidualView>) {
  const { iterations } = data;
  if (iterations.length === 0) return <p class="faint">No residuals have been logged yet.</p>;
  const last = iterations.length - 1;
  const index = indexIn(iterations.length, choice.step, last);
  return (
    <div class="stack">
      <div class="columns">
        <SvgFigure data={data} draw={residualChart} />
        <SvgFigure key={index} data={data} draw={(view) => residualTermsChart(view, iterations[index])} />
      </div>
      {last > 0 && (
        <Slider
          label="Terms at iteration"
          value={index}
          min={0}
          max={last}
          text={formatCount(iterations[index])}
          onChange={(value) => choose({ step: value })}
        />
      )}
    </div>
  );
}
