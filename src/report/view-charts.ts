// All charts of a view, by the name of the view, with names for files.

import { type AttentionChartData, attentionChart } from "./attention-chart.ts";
import {
  type DistributionChartData,
  probabilityRewardChart,
  sortedDistributionChart,
} from "./distribution-charts.ts";
import { type DynamicsChartData, dynamicsChart } from "./dynamics-chart.ts";
import { type EntropyChartData, entropyChart } from "./entropy-chart.ts";
import { type FlowTreeData, flowTreeChart } from "./flow-tree-chart.ts";
import {
  backtestChart,
  type CalibrationChartData,
  coverageChart,
  errorByStepChart,
  type ForecastChartData,
} from "./forecast-view-charts.ts";
import { type GridChartData, gridChart } from "./grid-chart.ts";
import { type LogoPairData, logoPair } from "./logo-pair.ts";
import { type ModesChartData, modesChart } from "./modes-chart.ts";
import { type ResidualChartData, residualChart, residualTermsChart } from "./residual-charts.ts";
import { quantityChart, type ScenarioChartData, scenarioChart } from "./scenario-charts.ts";

/** The views that have charts. */
export type ChartedView =
  | ({ readonly view: "distribution" } & DistributionChartData)
  | ({ readonly view: "flow" } & FlowTreeData)
  | ({ readonly view: "dynamics" } & DynamicsChartData)
  | ({ readonly view: "logo" } & LogoPairData)
  | ({ readonly view: "grid" } & GridChartData)
  | ({ readonly view: "entropy" } & EntropyChartData)
  | ({ readonly view: "residuals" } & ResidualChartData)
  | ({ readonly view: "attention" } & AttentionChartData)
  | ({ readonly view: "modes" } & ModesChartData)
  | ({ readonly view: "forecast" } & ForecastChartData)
  | ({ readonly view: "scenario" } & ScenarioChartData)
  | ({ readonly view: "calibration" } & CalibrationChartData);

export interface NamedChart {
  /** In kebab case, without an ending. */
  readonly name: string;
  readonly svg: string;
}

/** The charts of a view. Views that are tables have none. */
export function viewCharts(
  data: ChartedView | { readonly view: "trajectories" | "candidates" },
): NamedChart[] {
  switch (data.view) {
    case "distribution":
      return [
        { name: "distribution", svg: sortedDistributionChart(data) },
        { name: "probability-against-reward", svg: probabilityRewardChart(data) },
      ];
    case "flow":
      return [{ name: "flow", svg: flowTreeChart(data) }];
    case "dynamics":
      return [{ name: "dynamics", svg: dynamicsChart(data) }];
    case "logo":
      return [{ name: "logo", svg: logoPair(data) }];
    case "grid":
      return [{ name: "grid", svg: gridChart(data) }];
    case "entropy":
      return [{ name: "entropy", svg: entropyChart(data) }];
    case "residuals":
      return [
        { name: "residuals", svg: residualChart(data) },
        { name: "residual-terms", svg: residualTermsChart(data) },
      ];
    case "attention":
      return [{ name: "attention", svg: attentionChart(data) }];
    case "modes":
      return [
        { name: "modes", svg: modesChart(data) },
        ...(data.calls.some((calls) => calls !== null)
          ? [{ name: "modes-against-calls", svg: modesChart(data, "oracle calls") }]
          : []),
      ];
    case "forecast":
      return [{ name: "forecasts", svg: backtestChart(data) }];
    case "scenario":
      return [
        { name: "scenario", svg: scenarioChart(data) },
        ...(data.quantity ? [{ name: "scenario-quantity", svg: quantityChart(data) }] : []),
      ];
    case "calibration":
      return [
        { name: "coverage", svg: coverageChart(data) },
        { name: "error-by-step", svg: errorByStepChart(data) },
      ];
    case "trajectories":
    case "candidates":
      return [];
    default:
      return data satisfies never;
  }
}
