// Results, files and settings of one entry.

import type { EntryDetail } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { Badge, Value } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";

/** Final metrics beside the limit and the uniform policy; those of a backtest in a column per model. */
export function Results({ results }: Pick<EntryDetail, "results">) {
  const hasModels = results.some(({ model }) => model !== undefined);
  return (
    <section class="card stack">
      <h2>Results</h2>
      <ScrollArea label="Results">
        {hasModels ? <ByModel results={results} /> : <WithReferences results={results} />}
      </ScrollArea>
      {results.some(({ limit }) => limit !== null) && (
        <p class="small faint">The limit is the best that any policy can reach under the noise.</p>
      )}
    </section>
  );
}

function WithReferences({ results }: Pick<EntryDetail, "results">) {
  const columns = (
    [
      ["reached", "Reached"],
      ["limit", "Limit"],
      ["uniform", "Uniform policy"],
    ] as const
  ).filter(([name]) => name === "reached" || results.some((row) => row[name] !== null));
  return (
    <table data-test="results">
      <thead>
        <tr>
          <th scope="col">Metric</th>
          {columns.map(([name, label]) => (
            <th key={name} scope="col" class="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {results.map((row) => (
          <tr key={row.label}>
            <th scope="row">
              {row.label} <Badge source={row.source} />
            </th>
            {columns.map(([name]) => (
              <td key={name} class="number">
                <Value
                  value={row[name]}
                  deviation={name === "reached" ? row.error : null}
                  source={row.source}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ByModel({ results }: Pick<EntryDetail, "results">) {
  const models = [...new Set(results.map(({ model }) => model))];
  const labels = [...new Set(results.map(({ label }) => label))];
  return (
    <table data-test="results">
      <thead>
        <tr>
          <th scope="col">Metric</th>
          {models.map((model) => (
            <th key={model} scope="col" class="number">
              {model}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((label) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {models.map((model) => {
              const row = results.find((each) => each.label === label && each.model === model);
              return (
                <td key={model} class="number">
                  <Value value={row?.reached} deviation={row?.error} source={row?.source ?? "sampled"} />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The files of an entry, to download. A report has none. */
export function Files({ entry, files = [] }: Pick<EntryDetail, "entry" | "files">) {
  const app = useApp();
  if (files.length === 0 || app.source.live === null) return null;
  const address = app.source.live.fileAddress;
  return (
    <section class="card stack">
      <h2>Files</h2>
      <ul class="line files" data-test="files">
        {files.map((name) => (
          <li key={name}>
            <a href={address(entry.id, name)} download={name}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function SettingsList({ settings }: Pick<EntryDetail, "settings">) {
  if (settings.length === 0) return null;
  return (
    <section class="card stack breaks">
      <h2>Settings</h2>
      <dl class="settings" data-test="settings">
        {settings.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
