// Groups: entries that differ in the seed only. The label of a group has the settings by which it differs from most others.

import { createHash } from "node:crypto";
import { basename } from "node:path";
import { CONFIG_KEYS, fileOfFingerprint } from "../config/config.ts";
import { OBJECTIVES } from "../gfn/objectives/objective.ts";
import { settingText } from "../report/tables.ts";
import type { FoundEntry } from "./found-entry.ts";
import type { Entry } from "./page-data.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Settings that do not change what a run learns. */
const WITHOUT_EFFECT = ["seed", "engine", "threads", "plan"];
/** The text of balance, dynamics and loss. */
const OBJECTIVE = "objective";
/** Settings of a label; more would not be read. */
const MOST_IN_LABEL = 6;

/** The settings that the members of a group share. A file counts by its content, wherever it lies. */
export function withoutSeed(settings: Settings): Settings {
  const isPath = (name: string) => CONFIG_KEYS[name]?.file && `${name}Sha256` in settings;
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !WITHOUT_EFFECT.includes(name) && !isPath(name)),
  );
}

/** The group of some settings, and the settings as texts. */
interface Described {
  readonly group: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Entries that have not changed keep their settings, so these are described once. */
const described = new WeakMap<Settings, Described>();

function describe(settings: Settings): Described {
  const known = described.get(settings);
  if (known) return known;
  // The same text for the same settings in any order.
  const sorted = JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
  const group = createHash("sha256").update(sorted).digest("hex").slice(0, 16);
  const result = { group, texts: textsOf(settings) };
  described.set(settings, result);
  return result;
}

/** Settings as texts. Balance, dynamics and loss are one text, the name of the objective if they have one. */
function textsOf(settings: Settings): ReadonlyMap<string, string> {
  const { balance, dynamics, loss } = settings;
  const parts = [balance, dynamics, loss];
  const isObjective = parts.every((part) => typeof part === "string");
  const name = Object.entries(OBJECTIVES).find(
    ([, each]) => each.balance === balance && each.dynamics === dynamics && each.loss === loss,
  )?.[0];
  const others = Object.entries(settings).filter(
    ([setting]) => !(isObjective && ["balance", "dynamics", "loss"].includes(setting)),
  );
  return new Map([
    ...(isObjective ? [[OBJECTIVE, name ?? parts.join(" + ")] as const] : []),
    ...others.map(([setting, value]) => [setting, settingText(value)] as const),
  ]);
}

/** The entries with their groups. */
export function withGroups(found: readonly FoundEntry[]): Entry[] {
  const labelled = found.filter(({ groupSettings, groupLabel }) => groupSettings && groupLabel === null);
  const usual = new Map(
    [...groupedBy(labelled, ({ entry }) => entry.task)].map(([task, entries]) => [
      task,
      usualTexts(entries.map(({ groupSettings }) => describe(groupSettings as Settings).texts)),
    ]),
  );
  const objectives = new Map(
    [...groupedBy(labelled, ({ entry }) => entry.task)].map(([task, entries]) => [
      task,
      new Set(entries.map(({ groupSettings }) => describe(groupSettings as Settings).texts.get(OBJECTIVE))),
    ]),
  );
  return found.map(({ entry, settings, groupSettings, groupLabel }) => {
    if (!groupSettings) return { ...entry, group: entry.id, groupLabel: entry.name };
    const { group, texts } = describe(groupSettings);
    if (groupLabel !== null) return { ...entry, group, groupLabel };
    const usualOnes = usual.get(entry.task);
    // An objective is named beside others, also if it is the usual one.
    const isNamed = (name: string) => name === OBJECTIVE && (objectives.get(entry.task)?.size ?? 0) > 1;
    const parts = [...texts]
      .filter(([name, text]) => text !== usualOnes?.get(name) || isNamed(name))
      .map(([name, text]) => (name === OBJECTIVE ? `objective ${text}` : labelText(name, settings)));
    const rest = parts.length - MOST_IN_LABEL;
    const shown = rest > 0 ? [...parts.slice(0, MOST_IN_LABEL), `and ${rest} more`] : parts;
    const task = usual.size > 1 || shown.length === 0 ? [entry.task ?? entry.name] : [];
    return { ...entry, group, groupLabel: [...task, ...shown].join(", ") };
  });
}

/** The items by a key of each, in the order in which the keys first occur. */
export function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The most common text of each setting; of equally common ones, the first. */
function usualTexts(all: readonly ReadonlyMap<string, string>[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const texts of all) {
    for (const [name, text] of texts) {
      const ofName = counts.get(name) ?? new Map<string, number>();
      counts.set(name, ofName.set(text, (ofName.get(text) ?? 0) + 1));
    }
  }
  return new Map(
    [...counts].map(([name, ofName]) => {
      const [[text]] = [...ofName].sort((a, b) => b[1] - a[1]);
      return [name, text];
    }),
  );
}

/** "stick 0.5"; a file by its name. */
function labelText(name: string, settings: Settings): string {
  const file = fileOfFingerprint(name);
  if (file !== undefined) return `${file} ${basename(String(settings[file]))}`;
  return `${name} ${settingText(settings[name])}`;
}
