// The chart of a comparison with its controls and legend.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatCount, shortNumber } from "../../src/report/text-format.ts";
import type { Entry, EntryList, GroupSeries, MetricInfo, SeriesRequest } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { AxisChoice, X_AXES } from "../components/axis-choice.tsx";
import { CurveChart } from "../components/curve-chart.tsx";
import { Badge, Check, Choice, ErrorMessage, Segments, Slider } from "../components/parts.tsx";
import { AXIS_LABELS } from "../format.ts";
import { SMOOTHINGS, type ViewState } from "../url-state.ts";
import { coloursOf, groupKey, type LineColour, linesOf, referencesOf } from "./comparison-lines.ts";
import { chosenMetric, metricsOf } from "./metrics-of.ts";
import { useSeries } from "./use-series.ts";

/** Metrics whose curves are requested before they are chosen. */
const LIKELY_METRICS = 8;

/** Another axis, which shows the whole range, or another metric. */
function likelyChanges(metrics: readonly MetricInfo[]): Partial<SeriesRequest>[] {
  return [
    ...X_AXES.map((x) => ({ x, from: undefined, to: undefined })),
    ...metrics.slice(0, LIKELY_METRICS).map(({ name }) => ({ metric: name })),
  ];
}

export function CompareChart({
  list,
  entries,
}: {
  readonly list: EntryList;
  readonly entries: readonly Entry[];
}) {
  const app = useApp();
  const {
    metric: name,
    x: axis,
    zoom,
    at,
    isGrouped,
    hidden,
    smoothing,
    scale: chosenScale,
  } = app.state.value;
  const metrics = useMemo(() => metricsOf(list, entries), [list, entries]);
  const chosen = chosenMetric(metrics, name);
  const width = useSignal(0);
  const ids = useMemo(() => entries.map(({ id }) => id), [entries]);
  const likely = useMemo(() => likelyChanges(metrics), [metrics]);
  const loaded = useSeries({
    ...{ entries: ids, metric: chosen?.name ?? null, x: axis, zoom, width: width.value },
    likely,
  });
  const colours = useMemo(() => coloursOf(entries, isGrouped), [entries, isGrouped]);
  const labels = useMemo(() => new Map(entries.map(({ id, name }) => [id, name])), [entries]);
  const answer = loaded.value;
  const lines = useMemo(
    () => (answer === null ? [] : linesOf(answer, { isGrouped, hidden, smoothing, colours, labels })),
    [answer, isGrouped, hidden, smoothing, colours, labels],
  );
  const references = useMemo(() => (answer === null ? [] : referencesOf(answer)), [answer]);
  if (chosen === null) return <p class="message">The selected entries have no metric in common yet.</p>;
  // Until the curves of another metric or axis arrive, the chart keeps the old ones under their own names.
  const metric = metrics.find((each) => each.name === answer?.metric) ?? chosen;
  const x = answer?.x ?? axis;
  const hasMeans = isGrouped && answer?.groups.some((group) => group.entries.length > 1);
  const scale = chosenScale ?? metric.scale;
  const end = answer === null ? 0 : Math.max(0, ...answer.series.map((series) => series.x.at(-1) ?? 0));
  const points = answer?.series.reduce((sum, series) => sum + series.points, 0) ?? 0;
  return (
    <section class="card stack" aria-labelledby="chart-title" aria-busy={loaded.isLoading}>
      <h2 id="chart-title">
        {metric.label} <Badge source={metric.source} />
      </h2>
      <div class="line controls">
        <Choice
          label="Metric"
          value={chosen.name}
          options={metrics.map((each) => [each.name, `${each.label} (${each.source})`] as const)}
          onChange={(value) => app.go({ metric: value, scale: null })}
        />
        {app.source.live !== null && <AxisChoice axes={X_AXES} />}
        <Segments
          label="Vertical scale"
          value={scale}
          options={[
            ["linear", "Linear"],
            ["log", "Log"],
          ]}
          onChange={(value) => app.go({ scale: value })}
        />
        <Check
          label="Group by seed"
          isChecked={isGrouped}
          onChange={(isChecked) => app.go({ isGrouped: isChecked })}
        />
        <Choice
          label="Smoothing"
          value={String(smoothing)}
          options={SMOOTHINGS.map((each) => [String(each), each === 0 ? "off" : `${each} columns`] as const)}
          onChange={(value) => app.go({ smoothing: Number(value) })}
        />
        <RangeFields zoom={zoom} end={end} />
        {zoom !== null && (
          <button type="button" onClick={() => app.go({ zoom: null })} data-test="reset-zoom">
            Whole range
          </button>
        )}
      </div>
      {loaded.error !== null && <ErrorMessage>{loaded.error}</ErrorMessage>}
      {loaded.value?.problems?.map((problem) => (
        <ErrorMessage key={problem}>{problem}</ErrorMessage>
      ))}
      <CurveChart
        label={`${metric.label} over ${AXIS_LABELS[x]} of ${entries.length} entries; the table below has the numbers`}
        {...{ lines, references, scale, zoom, at }}
        xLabel={AXIS_LABELS[x]}
        yLabel={metric.unit ? `${metric.label} (${metric.unit})` : metric.label}
        height={380}
        onZoom={(value) => app.go({ zoom: value })}
        onPick={app.source.live === null ? undefined : (value) => app.go({ at: value && Math.round(value) })}
        onWidth={(value) => {
          width.value = value;
        }}
      />
      {answer?.series.every((series) => series.x.length === 0) && (
        <p class="message">
          No entry has points of {metric.label} over {AXIS_LABELS[x]}
          {zoom === null ? "" : " in this range"}.
        </p>
      )}
      <Legend entries={entries} groups={answer?.groups ?? []} colours={colours} />
      <p class="small faint">
        {answer !== null && (loaded.isLoading ? "Loading … " : `${formatCount(points)} points. `)}
        {hasMeans &&
          "Bold lines are means over seeds, bands ± one standard deviation, both from all points of all selected runs, also hidden ones. "}
        {smoothing > 0 && "Lines are smoothed for the eye; bands and tables are not. "}
        <span class="controls">Drag to zoom, double-click for the whole range.</span>
      </p>
      {app.source.live !== null && end > 0 && (
        <div class="line">
          <Slider
            label={`Table at ${AXIS_LABELS[x]}`}
            value={at ?? end}
            min={0}
            max={Math.ceil(Math.max(end, at ?? 0))}
            text={at === null ? "not chosen" : shortNumber(at)}
            onChange={(value) => app.go({ at: value })}
          />
          {at !== null && (
            <button type="button" onClick={() => app.go({ at: null })}>
              Remove
            </button>
          )}
        </div>
      )}
    </section>
  );
}

/** The range of the horizontal axis as numbers, for those who do not drag. */
function RangeFields({ zoom, end }: { readonly zoom: ViewState["zoom"]; readonly end: number }) {
  const app = useApp();
  const [from, to] = zoom ?? [0, end];
  const field = (label: string, value: number, change: (value: number) => readonly [number, number]) => (
    <label class="field controls">
      <span>{label}</span>
      <input
        type="number"
        class="range-end"
        value={Number(value.toPrecision(6))}
        onChange={(event) => {
          const range = change(event.currentTarget.valueAsNumber);
          if (range[0] < range[1]) app.go({ zoom: range });
        }}
      />
    </label>
  );
  return (
    <>
      {field("from", from, (value) => [value, to])}
      {field("to", to, (value) => [from, value])}
    </>
  );
}

/** Names of groups and runs with a switch for each line. */
function Legend({
  entries,
  groups,
  colours,
}: {
  readonly entries: readonly Entry[];
  readonly groups: readonly GroupSeries[];
  readonly colours: ReadonlyMap<string, LineColour>;
}) {
  const app = useApp();
  const { hidden, isGrouped } = app.state.value;
  const item = (key: string, label: string) => (
    <li key={key}>
      <label>
        <input
          type="checkbox"
          checked={!hidden.includes(key)}
          onChange={(event) =>
            app.go({
              hidden: event.currentTarget.checked ? hidden.filter((each) => each !== key) : [...hidden, key],
            })
          }
          data-test="show-line"
        />
        <span class="swatch" style={{ color: `var(${colours.get(key)?.colour ?? "--series-1"})` }} />
        {label}
      </label>
    </li>
  );
  const means = isGrouped ? groups.filter((group) => group.entries.length > 1) : [];
  return (
    <ul class="legend" aria-label="Lines">
      {means.map(({ group, label, entries: members }) =>
        item(groupKey(group), `${label}: mean of ${members.length}`),
      )}
      {entries.map(({ id, name }) => item(id, name))}
      {hidden.length > 0 && (
        <li>
          <button type="button" class="plain" onClick={() => app.go({ hidden: [] })}>
            show all
          </button>
        </li>
      )}
    </ul>
  );
}
