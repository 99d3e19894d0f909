// The settings of compared entries side by side; those in which they differ are highlighted.

import type { Entry } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { Check, WhenLoaded } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";
import { useLoaded } from "../use-loaded.ts";

interface SettingRow {
  readonly setting: string;
  readonly values: readonly string[];
}

export function SettingsTable({ entries }: { readonly entries: readonly Entry[] }) {
  const app = useApp();
  const { showsAllSettings, x } = app.state.value;
  const ids = entries.map(({ id }) => id);
  const loaded = useLoaded(
    JSON.stringify([ids, showsAllSettings]),
    async (): Promise<readonly SettingRow[]> => {
      if (!showsAllSettings) return (await app.source.table({ entries: ids, metrics: [], x })).differences;
      const details = await Promise.all(ids.map((id) => app.source.detail(id)));
      return allSettings(details.map(({ settings }) => settings));
    },
  );
  if (entries.length < 2) return null;
  return (
    <section class="card stack breaks" aria-labelledby="settings-title">
      <div class="line spread">
        <h2 id="settings-title">Settings</h2>
        <Check
          label="Only differences"
          isChecked={!showsAllSettings}
          onChange={(isChecked) => app.go({ showsAllSettings: !isChecked })}
        />
      </div>
      <WhenLoaded loaded={loaded}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="faint">The entries have the same settings.</p>
          ) : (
            <ScrollArea label="Settings of the selected entries">
              {entries.length > rows.length ? (
                <ByEntry entries={entries} rows={rows} />
              ) : (
                <BySetting entries={entries} rows={rows} />
              )}
            </ScrollArea>
          )
        }
      </WhenLoaded>
    </section>
  );
}

interface Sides {
  readonly entries: readonly Entry[];
  readonly rows: readonly SettingRow[];
}

/** A row per setting. */
function BySetting({ entries, rows }: Sides) {
  return (
    <table data-test="settings-table">
      <thead>
        <tr>
          <th scope="col">Setting</th>
          {entries.map(({ id, name }) => (
            <th key={id} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.setting}>
            <th scope="row">{row.setting}</th>
            {row.values.map((value, i) => (
              <Cell key={entries[i].id} row={row} value={value} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A row per entry: many entries that differ in few settings stand below each other. */
function ByEntry({ entries, rows }: Sides) {
  return (
    <table data-test="settings-table">
      <thead>
        <tr>
          <th scope="col">Entry</th>
          {rows.map(({ setting }) => (
            <th key={setting} scope="col">
              {setting}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, name }, i) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            {rows.map((row) => (
              <Cell key={row.setting} row={row} value={row.values[i]} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A value; highlighted if the entries differ in the setting. */
function Cell({ row, value }: { readonly row: SettingRow; readonly value: string }) {
  const differs = new Set(row.values).size > 1;
  return <td class={`mono ${differs ? "differs" : ""}`}>{value}</td>;
}

/** All settings of several entries in the order of the first, then those that only others have. */
function allSettings(settings: readonly (readonly (readonly [string, string])[])[]): SettingRow[] {
  const maps = settings.map((each) => new Map(each));
  const names = [...new Set(settings.flatMap((each) => each.map(([name]) => name)))];
  return names.map((setting) => ({ setting, values: maps.map((map) => map.get(setting) ?? "") }));
}
