// What runs now: a card per running entry with its progress, and its distance from the target against the limit.

import { formatDuration } from "../../src/report/text-format.ts";
import type { Entry, EntryList, StreamPoint } from "../../src/views/page-data.ts";
import { MOST_LIVE, seriesRevision, useApp } from "../app.ts";
import { EntryLink } from "../components/entry-link.tsx";
import { ErrorMessage, Value } from "../components/parts.tsx";
import { progressText, remainingText } from "../format.ts";
import { extended } from "../live-points.ts";
import { useLoaded } from "../use-loaded.ts";
import { mainMetrics } from "./entry-list.ts";
import { Sparkline } from "./sparkline.tsx";

export function LiveCards({ list }: { readonly list: EntryList }) {
  const running = list.entries.filter(({ state }) => state === "running");
  return (
    <section class="stack" aria-labelledby="live-title">
      <h2 id="live-title">Running now{running.length > 0 ? ` (${running.length})` : ""}</h2>
      {running.length === 0 ? (
        <p class="faint">Nothing runs at the moment.</p>
      ) : (
        <div class="live">
          {running.slice(0, MOST_LIVE).map((entry) => (
            <LiveCard key={entry.id} entry={entry} list={list} />
          ))}
        </div>
      )}
      {running.length > MOST_LIVE && (
        <p class="faint">{running.length - MOST_LIVE} more run; the list below has all of them.</p>
      )}
    </section>
  );
}

function LiveCard({ entry, list }: { readonly entry: Entry; readonly list: EntryList }) {
  const app = useApp();
  const metric = mainMetrics(list, [entry]).at(0) ?? null;
  const live = app.livePoints(entry.id).value;
  const revision = seriesRevision(app, [entry.id]);
  const loaded = useLoaded(metric && JSON.stringify([entry.id, metric.name, revision]), () =>
    app.source.series({ entries: [entry.id], metric: metric!.name, x: "iteration", columns: 140 }),
  );
  const stored = loaded.value?.series.at(0);
  const series = stored && metric ? extended(stored, live[metric.name] ?? [], "iteration") : undefined;
  const iteration = lastIteration(Object.values(live), entry.iteration ?? 0);
  const remaining = remainingText(entry);
  return (
    <article class="card" data-test="live-card">
      <h3>
        <EntryLink entry={entry} />
      </h3>
      <div class="line small faint">
        {entry.task !== null && <span>{entry.task}</span>}
        <span class="number" data-test="live-progress">
          {progressText(iteration, entry.iterations)}
        </span>
        {entry.seconds !== null && <span>{formatDuration(entry.seconds)}</span>}
        {remaining !== null && <span>{remaining}</span>}
      </div>
      {entry.iterations !== null && (
        <progress
          value={iteration}
          max={Math.max(1, entry.iterations)}
          aria-label={`progress of ${entry.name}`}
        />
      )}
      {loaded.error !== null && <ErrorMessage>{loaded.error}</ErrorMessage>}
      {metric !== null && series !== undefined && series.x.length > 0 && (
        <>
          <div class="line spread">
            <span>
              {metric.label}{" "}
              <span class="big number">
                <Value value={series.mean.at(-1)} source={metric.source} isShort={false} />
              </span>
            </span>
            {series.limit !== null && (
              <span class="small faint">
                limit <Value value={series.limit} source="exact" />
              </span>
            )}
          </div>
          <Sparkline
            label={`${metric.label} of ${entry.name} over iterations`}
            x={series.x}
            y={series.mean}
            limit={series.limit}
            scale={metric.scale}
          />
        </>
      )}
      {metric === null && <p class="faint small">No metric has been logged yet.</p>}
    </article>
  );
}

function lastIteration(points: readonly (readonly StreamPoint[])[], known: number): number {
  return Math.max(known, ...points.map((each) => each.at(-1)?.[0] ?? 0));
}
