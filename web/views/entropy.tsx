// Entropies of the policy by step.

import { entropyChart } from "../../src/report/entropy-chart.ts";
import type { EntropyView } from "../../src/views/view-data.ts";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

export function Entropy({ data }: ViewProps<EntropyView>) {
  return <SvgFigure data={data} draw={entropyChart} />;
}
