// The state of a page: its source of data, what it shows, the list of entries, and what the stream brought.

import { batch, effect, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Entry, EntryList, MetricInfo, StreamMessage } from "../src/views/page-data.ts";
import type { DataSource } from "./data-source.ts";
import { afterMessage, type LivePoints } from "./live-points.ts";
import { hashOf, stateOf, type ViewState } from "./url-state.ts";

export type Connection = "connecting" | "up" | "lost" | "restored";

export interface App {
  readonly source: DataSource;
  readonly state: Signal<ViewState>;
  /** Changes what is shown. A change of the page adds a step to the history; others replace the address. */
  go(change: Partial<ViewState>): void;
  readonly list: Signal<EntryList | null>;
  readonly listError: Signal<string | null>;
  readonly connection: Signal<Connection>;
  /** The points of an entry that arrived since the page follows it. */
  livePoints(entry: string): Signal<LivePoints>;
  /** Grows when what was loaded of an entry is no longer valid: after a restart, and when its state has changed. */
  revision(entry: string): Signal<number>;
  /** Grows when a stream has opened. Series of running entries are requested then, so that no point is missing between
   * them and the stream. */
  readonly openedStreams: Signal<number>;
}

/** Cards on the first page; the stream has the points of these runs. */
export const MOST_LIVE = 12;
/** The server sends the points of this many entries to one page. */
const MOST_FOLLOWED = 200;
/** Least time between two requests of the list, in milliseconds. */
const LIST_INTERVAL = 700;
/** How long the banner says that the connection is back, in milliseconds. */
const RESTORED_FOR = 4000;

/** The app on a source of data. `opening` is the hash that is used if the address has none. */
export function createApp(source: DataSource, opening = ""): App {
  const state = signal(stateOf(location.hash || opening));
  const list = signal<EntryList | null>(null);
  const listError = signal<string | null>(null);
  const connection = signal<Connection>("connecting");
  const openedStreams = signal(0);
  const points = new Map<string, Signal<LivePoints>>();
  const revisions = new Map<string, Signal<number>>();
  const livePoints = (entry: string) => signalOf(points, entry, () => ({}) as LivePoints);
  const revision = (entry: string) => signalOf(revisions, entry, () => 0);

  addEventListener("hashchange", () => {
    state.value = stateOf(location.hash);
  });
  const go = (change: Partial<ViewState>) => {
    const next = { ...state.peek(), ...change };
    const hash = hashOf(next);
    const isNewPage = next.page !== state.peek().page || next.entry !== state.peek().entry;
    state.value = next;
    if (hash === location.hash) return;
    if (isNewPage) {
      history.pushState(null, "", hash);
      scrollTo(0, 0);
    } else history.replaceState(null, "", hash);
  };

  const load = async () => {
    try {
      const loaded = await source.list();
      const states = new Map(list.peek()?.entries.map(({ id, state }) => [id, state]));
      batch(() => {
        list.value = loaded;
        listError.value = null;
        for (const { id, state } of loaded.entries) {
          if (states.has(id) && states.get(id) !== state) revision(id).value++;
        }
      });
    } catch (error) {
      listError.value = (error as Error).message;
    }
  };
  const loadSoon = paced(load, LIST_INTERVAL);
  void load();

  const onMessage = (message: StreamMessage) => {
    const live = livePoints(message.entry);
    batch(() => {
      live.value = afterMessage(live.peek(), message);
      if (message.kind === "restart") revision(message.entry).value++;
    });
    if (message.kind === "state") loadSoon();
  };
  const onConnection = (isConnected: boolean) => {
    const before = connection.peek();
    if (isConnected) openedStreams.value++;
    if (!isConnected) {
      connection.value = "lost";
      // The answer, or its failure, says what is wrong.
      loadSoon();
    } else if (before === "lost") {
      connection.value = "restored";
      loadSoon();
      setTimeout(() => {
        if (connection.peek() === "restored") connection.value = "up";
      }, RESTORED_FOR);
    } else if (before === "connecting") connection.value = "up";
  };

  const { live } = source;
  if (live !== null) {
    let followed: string | null = null;
    let stop = () => {};
    effect(() => {
      const entries = followedEntries(state.value, list.value);
      const key = JSON.stringify(entries);
      if (key === followed) return;
      followed = key;
      stop();
      stop = live.follow(entries, { onMessage, onList: loadSoon, onConnection });
    });
  }
  return { source, state, go, list, listError, connection, livePoints, revision, openedStreams };
}

/** The entries whose points the page needs: running ones that it shows, and the entry of the entry page. */
function followedEntries(state: ViewState, list: EntryList | null): string[] {
  if (state.page === "entry" && state.entry !== null) return [state.entry];
  const running = (list?.entries ?? []).filter((entry) => entry.state === "running");
  const shown =
    state.page === "home"
      ? running.slice(0, MOST_LIVE)
      : running.filter(({ id }) => state.selected.includes(id));
  return shown
    .slice(0, MOST_FOLLOWED)
    .map(({ id }) => id)
    .sort();
}

function signalOf<T>(signals: Map<string, Signal<T>>, key: string, initial: () => T): Signal<T> {
  const existing = signals.get(key);
  if (existing !== undefined) return existing;
  const created = signal(initial());
  signals.set(key, created);
  return created;
}

/** Calls a function at once, and again at the end of the interval if it was asked for in between. */
export function paced(call: () => void, interval: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  const run = () => {
    isAsked = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isAsked) run();
    }, interval);
    call();
  };
  return () => {
    if (timer === undefined) run();
    else isAsked = true;
  };
}

const AppContext = createContext<App | null>(null);
export const AppProvider = AppContext.Provider;

/** The app that the component is part of. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error("useApp: the component must be inside an AppProvider");
  return app;
}

/** A text that changes when the series of these entries must be requested again. */
export function seriesRevision(app: App, entries: readonly string[]): string {
  const revision = entries.reduce((sum, id) => sum + app.revision(id).value, 0);
  const isRunning = app.list.value?.entries.some(
    ({ id, state }) => state === "running" && entries.includes(id),
  );
  return isRunning ? `${revision} ${app.openedStreams.value}` : String(revision);
}

/** What is known about a metric; a metric that the list does not describe is shown by its name. */
export function metricInfo(list: EntryList | null, name: string): MetricInfo {
  return (
    list?.metrics.find((metric) => metric.name === name) ?? {
      ...{ name, label: name, source: "sampled", scale: "linear", better: null },
    }
  );
}

/** The entries of ids, in their order. A comparison stands for its experiments. */
export function entriesOf(list: EntryList | null, ids: readonly string[]): Entry[] {
  const entries = list?.entries ?? [];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const all = ids.flatMap((id) => {
    const entry = byId.get(id);
    if (entry === undefined) return [];
    const parts = entry.kind === "comparison" ? entries.filter(({ parent }) => parent === id) : [];
    return parts.length > 0 ? parts : [entry];
  });
  return [...new Set(all)];
}
