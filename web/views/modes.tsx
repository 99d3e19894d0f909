// Modes and circles found over training.

import { modesChart } from "../../src/report/modes-chart.ts";
import type { ModesView } from "../../src/views/view-data.ts";
import { useApp } from "../app.ts";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

export function Modes({ data }: ViewProps<ModesView>) {
  const { x } = useApp().state.value;
  const over = x === "calls" && data.calls.some((each) => each !== null) ? "oracle calls" : "iterations";
  return <SvgFigure key={over} data={data} draw={(view) => modesChart(view, over)} />;
}
