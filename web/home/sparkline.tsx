// A small curve without axes, with the limit as a dashed line.

import { scalesOf } from "../components/chart-math.ts";

const WIDTH = 280;
const HEIGHT = 54;

export function Sparkline({
  label,
  x,
  y,
  limit,
  scale,
}: {
  readonly label: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly limit: number | null;
  readonly scale: "linear" | "log";
}) {
  const line = { id: "", label, colour: "", dash: [], width: 1, opacity: 1, x, y };
  const references = limit === null ? [] : [{ label: "limit", value: limit }];
  const scales = scalesOf([line], references, { scale, zoom: null });
  const place = (domain: readonly [number, number], value: number, isLog: boolean) => {
    const of = isLog ? Math.log : (each: number) => each;
    return (of(value) - of(domain[0])) / (of(domain[1]) - of(domain[0]));
  };
  const isLog = scale === "log";
  const top = (value: number) => HEIGHT - 2 - (HEIGHT - 4) * place(scales.y.domain, value, isLog);
  const points = x.flatMap((each, i) =>
    Number.isFinite(y[i]) && (!isLog || y[i] > 0)
      ? [`${(WIDTH * place(scales.x.domain, each, false)).toFixed(1)},${top(y[i]).toFixed(1)}`]
      : [],
  );
  const isLimitInside = limit !== null && limit >= scales.y.domain[0];
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {isLimitInside && (
        <line
          {...{ x1: 0, x2: WIDTH, y1: top(limit), y2: top(limit) }}
          stroke="var(--figure-reference)"
          stroke-dasharray="4 3"
          vector-effect="non-scaling-stroke"
        />
      )}
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="var(--series-1)"
        stroke-width="1.6"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
