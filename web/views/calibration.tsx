// Calibration of forecasts: coverage, errors by step ahead, and metrics by model.

import { coverageChart, errorByStepChart } from "../../src/report/forecast-view-charts.ts";
import type { CalibrationView } from "../../src/views/view-data.ts";
import { Value } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

export function Calibration({ data }: ViewProps<CalibrationView>) {
  const metrics = [...new Set(data.models.flatMap((model) => Object.keys(model.metrics)))].filter((metric) =>
    data.models.some((model) => typeof model.metrics[metric] === "number"),
  );
  return (
    <div class="stack">
      <div class="columns">
        <SvgFigure data={data} draw={coverageChart} />
        {data.models.some(({ byStep }) => byStep.length > 0) && (
          <SvgFigure data={data} draw={(view) => errorByStepChart(view)} />
        )}
      </div>
      {metrics.length > 0 && (
        <ScrollArea label="Calibration by model">
          <table>
            <thead>
              <tr>
                <th scope="col">Metric</th>
                {data.models.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {metrics.map((metric) => (
                <tr key={metric}>
                  <th scope="row">{metric}</th>
                  {data.models.map((model) => (
                    <td key={model.name} class="number">
                      <Value value={model.metrics[metric]} source={data.exact ? "exact" : "sampled"} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </div>
  );
}
