// Forecasts of a backtest: one series, by model and cutoff.

import { backtestChart, fanChartAt } from "../../src/report/forecast-view-charts.ts";
import type { ForecastView } from "../../src/views/view-data.ts";
import { Choice } from "../components/parts.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

const ALL = "all";

export function Forecast({ data, choice, choose, has }: ViewProps<ForecastView>) {
  const { series, chosen, models } = data;
  const cutoffs = [...new Set(models.flatMap((each) => each.cutoffs.map(({ cutoff }) => cutoff)))].sort();
  const wanted = choice.cutoff ?? cutoffs.at(-1) ?? ALL;
  const cutoff = cutoffs.includes(wanted) ? wanted : ALL;
  const model = models.some(({ name }) => name === choice.model) ? choice.model! : ALL;
  const draw = (view: ForecastView) => {
    const shown = { ...view, models: models.filter(({ name }) => model === ALL || name === model) };
    return cutoff === ALL ? backtestChart(shown) : fanChartAt(shown, cutoff);
  };
  return (
    <div class="stack">
      <div class="line controls">
        <Choice
          label="Series"
          value={chosen}
          options={series.map((name) => [name, name, !has({ series: name })] as const)}
          onChange={(value) => choose({ series: value })}
        />
        {models.length > 1 && (
          <Choice
            label="Model"
            value={model}
            options={[ALL, ...models.map(({ name }) => name)].map((name) => [name, name] as const)}
            onChange={(value) => choose({ model: value === ALL ? undefined : value })}
          />
        )}
        {cutoffs.length > 1 && (
          <Choice
            label="Cutoff"
            value={cutoff}
            options={[ALL, ...cutoffs].map((each) => [each, each] as const)}
            onChange={(value) => choose({ cutoff: value })}
          />
        )}
      </div>
      <SvgFigure key={`${model} ${cutoff}`} data={data} draw={draw} />
    </div>
  );
}
