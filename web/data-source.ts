// Where the pages get their data: the dashboard's server, or the data inside a report. The components know only this interface.

import type {
  EntryDetail,
  EntryList,
  SeriesAnswer,
  SeriesRequest,
  StreamMessage,
  TableAnswer,
  TableRequest,
} from "../src/views/page-data.ts";
import type { ViewData, ViewName, ViewOptions } from "../src/views/view-data.ts";

export interface DataSource {
  list(): Promise<EntryList>;
  detail(entry: string): Promise<EntryDetail>;
  series(request: SeriesRequest): Promise<SeriesAnswer>;
  table(request: TableRequest): Promise<TableAnswer>;
  view(entry: string, view: ViewName, options?: ViewOptions): Promise<ViewData>;
  /** Whether a view can be had with these options. A report holds some of them only. */
  hasView(entry: string, view: ViewName, options: ViewOptions): boolean;
  /** Live data; null in a report. */
  readonly live: LiveData | null;
}

export interface LiveData {
  /** Calls `onMessage` for every new point of these entries, and `onList` when the list has changed. Returns a function
   * that ends it. Reconnects by itself, without a gap or a repeated point. */
  follow(entries: readonly string[], handlers: FollowHandlers): () => void;
  /** The report of some entries as a file; `state` is the hash that its page opens with. */
  report(entries: readonly string[], state: string): Promise<Blob>;
  /** The address of a file of an entry. */
  fileAddress(entry: string, name: string): string;
  /** Commands for runs; null unless the server allows training. */
  readonly control: RunControl | null;
}

export interface FollowHandlers {
  onMessage(message: StreamMessage): void;
  onList(): void;
  /** Whether the connection is up. */
  onConnection(isConnected: boolean): void;
}

export interface RunControl {
  /** Starts `gflownet train` with these settings; resolves to the id of the new run. */
  train(settings: Readonly<Record<string, unknown>>): Promise<string>;
  stop(entry: string): Promise<void>;
  resume(entry: string): Promise<void>;
}
