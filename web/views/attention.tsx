// Attention of the history encoder along a sampled trajectory.

import { attentionChart } from "../../src/report/attention-chart.ts";
import type { AttentionView } from "../../src/views/view-data.ts";
import { Choice } from "../components/parts.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import { SeedChoice } from "./seed-choice.tsx";
import { indexIn, type ViewProps } from "./view-props.ts";

const ALL = "all";

export function Attention({ data, choice, choose, has }: ViewProps<AttentionView>) {
  const { weights } = data;
  if (weights.length === 0) return <p class="faint">The encoder has no attention.</p>;
  const layer = typeof choice.layer === "number" ? indexIn(weights.length, choice.layer) : undefined;
  const heads = Math.max(...weights.map(({ length }) => length));
  const head = typeof choice.head === "number" ? indexIn(heads, choice.head) : undefined;
  const options = (count: number) => [
    [ALL, ALL] as const,
    ...Array.from({ length: count }, (_, i) => [String(i), String(i + 1)] as const),
  ];
  return (
    <div class="stack">
      <div class="line controls">
        {weights.length > 1 && (
          <Choice
            label="Layer"
            value={String(layer ?? ALL)}
            options={options(weights.length)}
            onChange={(value) => choose({ layer: value === ALL ? undefined : Number(value) })}
          />
        )}
        {heads > 1 && (
          <Choice
            label="Head"
            value={String(head ?? ALL)}
            options={options(heads)}
            onChange={(value) => choose({ head: value === ALL ? undefined : Number(value) })}
          />
        )}
        <SeedChoice {...{ choice, choose, has }} />
      </div>
      <SvgFigure
        key={`${layer} ${head}`}
        data={data}
        draw={(view) => attentionChart(view, { layer, head })}
      />
    </div>
  );
}
