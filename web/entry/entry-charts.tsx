// The curves of all metrics of one entry. While it runs, new points are appended as they arrive.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { EntryDetail, MetricInfo } from "../../src/views/page-data.ts";
import { metricInfo, useApp } from "../app.ts";
import { useSeries } from "../compare/use-series.ts";
import { AxisChoice, X_AXES } from "../components/axis-choice.tsx";
import { CurveChart } from "../components/curve-chart.tsx";
import { Badge, ErrorMessage } from "../components/parts.tsx";
import { seriesVariable } from "../figure-theme.ts";
import { AXIS_LABELS } from "../format.ts";
import { extended } from "../live-points.ts";

/** Charts that are shown at first; an entry may have many metrics. */
const FIRST = 6;

export function EntryCharts({ detail }: { readonly detail: EntryDetail }) {
  const app = useApp();
  const { zoom } = app.state.value;
  const list = app.list.value;
  const isReport = app.source.live === null;
  const showsAll = useSignal(isReport);
  const infos = useMemo(
    () => detail.metrics.map((name) => metricInfo(list, name)).sort((a, b) => rankOf(a) - rankOf(b)),
    [detail.metrics, list],
  );
  if (infos.length === 0) return null;
  const shown = showsAll.value ? infos : infos.slice(0, FIRST);
  return (
    <section class="card stack breaks">
      <div class="line spread">
        <h2>Curves</h2>
        <div class="line controls">
          {!isReport && <AxisChoice axes={X_AXES} />}
          {zoom !== null && (
            <button type="button" onClick={() => app.go({ zoom: null })}>
              Whole range
            </button>
          )}
        </div>
      </div>
      <div class="chart-grid">
        {shown.map((metric) => (
          <MetricChart key={`${detail.entry.id} ${metric.name}`} entry={detail.entry.id} metric={metric} />
        ))}
      </div>
      {shown.length < infos.length && (
        <div>
          <button
            type="button"
            onClick={() => {
              showsAll.value = true;
            }}
          >
            Show {infos.length - shown.length} more
          </button>
        </div>
      )}
    </section>
  );
}

/** Metrics that are judged come first. */
function rankOf({ better }: MetricInfo): number {
  return better === null ? 1 : 0;
}

function MetricChart({ entry, metric }: { readonly entry: string; readonly metric: MetricInfo }) {
  const app = useApp();
  const { x, zoom } = app.state.value;
  const width = useSignal(0);
  const ids = useMemo(() => [entry], [entry]);
  const loaded = useSeries({ entries: ids, metric: metric.name, x, zoom, width: width.value });
  const stored = loaded.value?.series.at(0);
  const live = app.livePoints(entry).value[metric.name];
  const series = useMemo(
    () => (stored && live && zoom === null ? extended(stored, live, x) : stored),
    [stored, live, x, zoom],
  );
  const lines = useMemo(
    () =>
      series === undefined
        ? []
        : [
            {
              ...{
                id: entry,
                label: metric.label,
                colour: seriesVariable(0),
                dash: [],
                width: 1.6,
                opacity: 1,
              },
              ...{ x: series.x, y: series.mean, low: series.low, high: series.high },
            },
          ],
    [series],
  );
  const references = useMemo(
    () =>
      (["limit", "uniform"] as const).flatMap((label) => {
        const value = series?.[label] ?? null;
        return value === null ? [] : [{ label, value }];
      }),
    [series?.limit, series?.uniform],
  );
  return (
    <div class="stack" data-test={`curve-${metric.name}`} data-points={series?.points}>
      <h3>
        {metric.label} <Badge source={metric.source} />
      </h3>
      {loaded.error !== null && <ErrorMessage>{loaded.error}</ErrorMessage>}
      {loaded.value?.problems?.map((problem) => (
        <ErrorMessage key={problem}>{problem}</ErrorMessage>
      ))}
      <CurveChart
        label={`${metric.label} over ${AXIS_LABELS[x]}`}
        {...{ lines, references, zoom }}
        scale={metric.scale}
        xLabel={AXIS_LABELS[x]}
        yLabel={metric.unit ?? ""}
        height={220}
        onZoom={(value) => app.go({ zoom: value })}
        onWidth={(value) => {
          width.value = value;
        }}
      />
      {series !== undefined && series.x.length === 0 && (
        <p class="faint small">No points over {AXIS_LABELS[x]}.</p>
      )}
    </div>
  );
}
