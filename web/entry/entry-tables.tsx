// Results and settings of one entry.

import type { EntryDetail } from "../../src/views/page-data.ts";
import { Badge, Value } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";

/** Final metrics beside the limit and the uniform policy. */
export function Results({ results }: Pick<EntryDetail, "results">) {
  return (
    <section class="card stack">
      <h2>Results</h2>
      <ScrollArea label="Results">
        <table data-test="results">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" class="number">
                Reached
              </th>
              <th scope="col" class="number">
                Limit
              </th>
              <th scope="col" class="number">
                Uniform policy
              </th>
            </tr>
          </thead>
          <tbody>
            {results.map(({ label, source, reached, limit, uniform }) => (
              <tr key={label}>
                <th scope="row">
                  {label} <Badge source={source} />
                </th>
                {[reached, limit, uniform].map((value, i) => (
                  <td key={i} class="number">
                    <Value value={value} source={source} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      <p class="small faint">The limit is the best that any policy can reach under the noise.</p>
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
