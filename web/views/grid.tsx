// Heat maps of a hypergrid: target, learned and their difference, for two of its axes.

import { gridChart } from "../../src/report/grid-chart.ts";
import type { GridView, ViewOptions } from "../../src/views/view-data.ts";
import { Choice } from "../components/parts.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

export function Grid({ data, choose, has }: ViewProps<GridView>) {
  const { dimensions, side, axes, fixed } = data;
  return (
    <div class="stack">
      {dimensions > 2 && <Slices {...{ dimensions, side, axes, fixed, choose, has }} />}
      <SvgFigure data={data} draw={gridChart} />
    </div>
  );
}

/** Choice of the two axes, and of what happens to the others. */
function Slices({
  dimensions,
  side,
  axes,
  fixed,
  choose,
  has,
}: Pick<GridView, "dimensions" | "side" | "axes" | "fixed"> & Pick<ViewProps<GridView>, "choose" | "has">) {
  const all = Array.from({ length: dimensions }, (_, axis) => axis);
  const pairs = all.flatMap((a) => all.filter((b) => b > a).map((b) => [a, b] as const));
  const nothingFixed: (number | null)[] = all.map(() => null);
  const fixedAt = (axis: number, index: number | null) => fixed.map((each, i) => (i === axis ? index : each));
  const option = (value: string, text: string, options: ViewOptions) => [value, text, !has(options)] as const;
  return (
    <div class="line controls">
      <Choice
        label="Axes"
        value={axes.join("~")}
        options={pairs.map((pair) =>
          option(pair.join("~"), `${pair[0] + 1} and ${pair[1] + 1}`, { axes: pair, fixed: nothingFixed }),
        )}
        onChange={(value) => {
          const [a, b] = value.split("~").map(Number);
          choose({ axes: [a, b], fixed: nothingFixed });
        }}
      />
      {all
        .filter((axis) => !axes.includes(axis))
        .map((axis) => (
          <Choice
            key={axis}
            label={`Axis ${axis + 1}`}
            value={String(fixed[axis] ?? "sum")}
            options={[
              option("sum", "summed over", { axes, fixed: fixedAt(axis, null) }),
              ...Array.from({ length: side }, (_, i) =>
                option(String(i), `at ${i}`, { axes, fixed: fixedAt(axis, i) }),
              ),
            ]}
            onChange={(value) =>
              choose({ axes, fixed: fixedAt(axis, value === "sum" ? null : Number(value)) })
            }
          />
        ))}
    </div>
  );
}
