// What a page shows, as the hash of its address, so that every view can be kept as a link.
//
// Addresses are typed and edited by people: a part that makes no sense is replaced by its default.

import type { EntryKind, EntryState, XAxis } from "../src/views/page-data.ts";
import type { ViewName, ViewOptions } from "../src/views/view-data.ts";

export type PageName = "home" | "compare" | "entry";

/** What the page asks for and what it shows of one view. */
export interface ViewChoice extends ViewOptions {
  /** attention: layer and head; null shows the mean of the heads. */
  readonly layer?: number;
  readonly head?: number | null;
  /** dynamics, trajectories: the step that is shown; null shows the mean of the steps. */
  readonly step?: number | null;
  /** trajectories: which one. */
  readonly trajectory?: number;
  /** forecast: models and cutoff. */
  readonly model?: string;
  readonly cutoff?: string;
  /** candidates: the filter, the column that sorts them, and the direction. */
  readonly text?: string;
  readonly sort?: string;
  readonly isDescending?: boolean;
}

export interface ListFilter {
  readonly text: string;
  /** Empty: all but experiments. */
  readonly kind: EntryKind | "" | "all";
  readonly state: EntryState | "";
  readonly task: string;
}

export interface ListSort {
  /** A field of the list, or a metric as `last:tv`. */
  readonly column: string;
  readonly isDescending: boolean;
}

export interface ViewState {
  readonly page: PageName;
  /** The entry of the entry page. */
  readonly entry: string | null;
  readonly selected: readonly string[];
  /** Selected entries whose lines are not drawn. */
  readonly hidden: readonly string[];
  readonly isGrouped: boolean;
  /** Null: the first metric that the entries have. */
  readonly metric: string | null;
  /** Further metrics of the table. */
  readonly moreMetrics: readonly string[];
  readonly x: XAxis;
  /** Null: as the metric says. */
  readonly scale: "linear" | "log" | null;
  readonly zoom: readonly [number, number] | null;
  /** The step of the column `at`. */
  readonly at: number | null;
  /** Number of columns in the moving average of the lines; 0 draws them as they are. */
  readonly smoothing: number;
  readonly showsAllSettings: boolean;
  readonly filter: ListFilter;
  readonly sort: ListSort;
  /** Whether the list has one row per group. */
  readonly isListGrouped: boolean;
  /** The open view of the entry page. */
  readonly view: ViewName | null;
  readonly choices: Readonly<Record<string, ViewChoice>>;
}

export const DEFAULT_STATE: ViewState = {
  page: "home",
  entry: null,
  selected: [],
  hidden: [],
  isGrouped: true,
  metric: null,
  moreMetrics: [],
  x: "iteration",
  scale: null,
  zoom: null,
  at: null,
  smoothing: 0,
  showsAllSettings: false,
  filter: { text: "", kind: "", state: "", task: "" },
  sort: { column: "modified", isDescending: true },
  isListGrouped: false,
  view: null,
  choices: {},
};

const KINDS: readonly EntryKind[] = ["run", "comparison", "experiment", "design", "backtest", "forecast"];
const STATES: readonly EntryState[] = ["running", "finished", "interrupted", "broken"];
const AXES: readonly XAxis[] = ["iteration", "calls", "seconds"];
const SCALES = ["linear", "log"] as const;
export const SMOOTHINGS: readonly number[] = [0, 5, 15, 45];
export const VIEW_NAMES: readonly ViewName[] = [
  ...([
    "distribution",
    "flow",
    "dynamics",
    "logo",
    "grid",
    "entropy",
    "residuals",
    "attention",
    "modes",
  ] as const),
  ...(["trajectories", "candidates", "forecast", "scenario", "calibration"] as const),
];

/** The hash of a state, such as `#/compare?e=runs%2Fa&metric=tv`; defaults are left out. */
export function hashOf(state: ViewState): string {
  const parts = new URLSearchParams();
  const set = (name: string, value: string, byDefault = "") => {
    if (value !== byDefault) parts.set(name, value);
  };
  set("id", state.entry ?? "");
  for (const entry of state.selected) parts.append("e", entry);
  for (const entry of state.hidden) parts.append("hide", entry);
  set("group", state.isGrouped ? "1" : "0", "1");
  set("metric", state.metric ?? "");
  for (const metric of state.moreMetrics) parts.append("also", metric);
  set("x", state.x, DEFAULT_STATE.x);
  set("scale", state.scale ?? "");
  set("zoom", state.zoom?.join("~") ?? "");
  set("at", state.at === null ? "" : String(state.at));
  set("smooth", String(state.smoothing), "0");
  set("settings", state.showsAllSettings ? "all" : "");
  set("text", state.filter.text);
  set("kind", state.filter.kind);
  set("state", state.filter.state);
  set("task", state.filter.task);
  set("sort", sortText(state.sort), sortText(DEFAULT_STATE.sort));
  set("rows", state.isListGrouped ? "groups" : "");
  set("view", state.view ?? "");
  if (Object.keys(state.choices).length > 0) parts.set("choices", JSON.stringify(state.choices));
  const path = state.page === "home" ? "#/" : `#/${state.page}`;
  const query = parts.toString();
  return query ? `${path}?${query}` : path;
}

/** The state of a hash. */
export function stateOf(hash: string): ViewState {
  const [path, query = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  const parts = new URLSearchParams(query);
  const text = (name: string) => parts.get(name) ?? "";
  const textOrNull = (name: string) => parts.get(name) || null;
  const all = (name: string) => [...new Set(parts.getAll(name).filter(Boolean))];
  const entry = textOrNull("id");
  const page = path === "compare" ? "compare" : path === "entry" && entry !== null ? "entry" : "home";
  return {
    page,
    entry,
    selected: all("e"),
    hidden: all("hide"),
    isGrouped: text("group") !== "0",
    metric: textOrNull("metric"),
    moreMetrics: all("also"),
    x: oneOf(AXES, text("x")) ?? DEFAULT_STATE.x,
    scale: oneOf(SCALES, text("scale")) ?? null,
    zoom: rangeOf(text("zoom")),
    at: numberOf(text("at")),
    smoothing: oneOf(SMOOTHINGS, Number(text("smooth"))) ?? 0,
    showsAllSettings: text("settings") === "all",
    filter: {
      text: text("text"),
      kind: oneOf([...KINDS, "all"], text("kind")) ?? "",
      state: oneOf(STATES, text("state")) ?? "",
      task: text("task"),
    },
    sort: sortOf(text("sort")),
    isListGrouped: text("rows") === "groups",
    view: oneOf(VIEW_NAMES, text("view")) ?? null,
    choices: choicesOf(text("choices")),
  };
}

function sortText({ column, isDescending }: ListSort): string {
  return `${isDescending ? "-" : ""}${column}`;
}

function sortOf(text: string): ListSort {
  if (text === "" || text === "-") return DEFAULT_STATE.sort;
  return text.startsWith("-")
    ? { column: text.slice(1), isDescending: true }
    : { column: text, isDescending: false };
}

function oneOf<T>(values: readonly T[], value: unknown): T | undefined {
  return values.find((each) => each === value);
}

function numberOf(text: string): number | null {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? value : null;
}

function rangeOf(text: string): readonly [number, number] | null {
  const [from, to] = text.split("~").map(numberOf);
  return typeof from === "number" && typeof to === "number" && from < to ? [from, to] : null;
}

function choicesOf(text: string): Readonly<Record<string, ViewChoice>> {
  try {
    const value: unknown = JSON.parse(text || "{}");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter(([, choice]) => typeof choice === "object" && choice !== null),
    );
  } catch {
    return {};
  }
}
