// A forecast with and without a scenario: sampled paths, probabilities, and the quantity that the condition bounds.

import { quantityChart, scenarioChart } from "../../src/report/scenario-charts.ts";
import type { ScenarioView } from "../../src/views/view-data.ts";
import { Choice, Value } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

export function Scenario({ data, choose, has }: ViewProps<ScenarioView>) {
  const { series, chosen, numbers, quantity } = data;
  return (
    <div class="stack">
      {series.length > 1 && (
        <div class="line controls">
          <Choice
            label="Series"
            value={chosen}
            options={series.map((name) => [name, name, !has({ series: name })] as const)}
            onChange={(value) => choose({ series: value })}
          />
        </div>
      )}
      <div class="columns">
        <SvgFigure data={data} draw={scenarioChart} />
        <div class="stack">
          {quantity !== null && <SvgFigure data={data} draw={quantityChart} />}
          {numbers.length > 0 && (
            <ScrollArea label={`Numbers of the scenario of ${chosen}`}>
              <table data-test="scenario-numbers">
                <thead>
                  <tr>
                    <th scope="col">{chosen}</th>
                    <th scope="col" class="number">
                      Value ± standard error
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {numbers.map(({ label, value, error }) => (
                    <tr key={label}>
                      <th scope="row">{label}</th>
                      <td class="number">
                        <Value value={value} deviation={error} source="sampled" />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollArea>
          )}
        </div>
      </div>
    </div>
  );
}
