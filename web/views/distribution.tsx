// The target beside the learned distribution and the best reachable one.

import { probabilityRewardChart, sortedDistributionChart } from "../../src/report/distribution-charts.ts";
import type { DistributionView } from "../../src/views/view-data.ts";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

export function Distribution({ data }: ViewProps<DistributionView>) {
  return (
    <div class="columns">
      <SvgFigure data={data} draw={sortedDistributionChart} />
      <SvgFigure data={data} draw={probabilityRewardChart} />
    </div>
  );
}
