// The stream of a page: new points of the entries that it follows, as server-sent events.
//
// Nothing is read ahead. The next message is made when the connection takes it, so a slow reader costs no memory: it gets
// what the files have when it is ready, from the position where it was. However many pages are connected, a few messages are
// made at a time.

import { setTimeout as sleep } from "node:timers/promises";
import { Slots } from "../oracle/slots.ts";
import { CUSTOM_TASK } from "../run/custom-task.ts";
import { nextMessage, positionNow } from "../views/entry-follower.ts";
import type { IndexedEntry } from "../views/entry-index.ts";
import { type Position, START } from "../views/file-position.ts";
import type { EntryState, StreamMessage } from "../views/page-data.ts";
import { batchOf } from "../views/series-answer.ts";
import { cursorText, parseCursor } from "../views/stream-cursor.ts";
import type { FolderWatch } from "./folder-watch.ts";

/** After this time without a message, a comment shows that the connection is alive. */
const SILENCE_MS = 15_000;
/** A browser that lost the connection tries again after this time. */
const RETRY_MS = 1000;
/** Messages that are made at a time, for all pages: each reads up to 256 KiB and needs some megabytes meanwhile. */
const making = new Slots(4);

interface Followed {
  readonly id: string;
  position: Position;
  /** The stamp of the file when everything in it had been sent. */
  drained: string | null;
  state: EntryState | null;
}

export interface StreamOptions {
  readonly entries: readonly string[];
  /** Where the page was; null for a page that begins with what comes next. */
  readonly cursor: string | null;
  readonly watch: FolderWatch;
  readonly signal: AbortSignal;
  /** Called once when the stream ends. */
  readonly onEnd: () => void;
}

/** The body of the answer. */
export function eventStream(options: StreamOptions): ReadableStream<Uint8Array> {
  const ended = new AbortController();
  ended.signal.addEventListener("abort", options.onEnd, { once: true });
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const texts = textsOf(options, signal);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await texts.next();
          if (ended.signal.aborted) return;
          if (!next.done) {
            controller.enqueue(encoder.encode(next.value));
            return;
          }
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        ended.abort();
      },
      cancel() {
        ended.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The texts of the stream, until the signal. */
async function* textsOf(options: StreamOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  const { watch, cursor } = options;
  let { entries, version } = await watch.list();
  const positions = parseCursor(cursor ?? "", options.entries);
  const followed: Followed[] = [];
  for (const id of options.entries) {
    const metrics = entries.get(id)?.metrics;
    const position =
      cursor === null && metrics ? await positionNow(metrics).catch(() => START) : positions.get(id);
    followed.push({ id, position: position ?? START, drained: null, state: null });
  }
  const cursorNow = () => cursorText(new Map(followed.map(({ id, position }) => [id, position])));
  const text = (message: StreamMessage) => `id: ${cursorNow()}\ndata: ${JSON.stringify(message)}\n\n`;
  // An event without data sets the cursor of the browser.
  yield `retry: ${RETRY_MS}\nid: ${cursorNow()}\n\n`;
  let spoken = performance.now();
  while (!signal.aborted) {
    for (const one of followed) {
      for await (const message of messagesOf(one, entries.get(one.id), watch)) {
        yield text(message);
        spoken = performance.now();
        if (signal.aborted) return;
      }
    }
    const now = await watch.list();
    entries = now.entries;
    if (now.version !== version) {
      version = now.version;
      yield "event: list\ndata: {}\n\n";
      spoken = performance.now();
    }
    if (performance.now() - spoken > SILENCE_MS) {
      yield ": alive\n\n";
      spoken = performance.now();
    }
    await sleep(watch.pollMs, undefined, { signal }).catch(() => {});
  }
}

/** What is new about one entry: first its points, then its state. */
async function* messagesOf(
  one: Followed,
  indexed: IndexedEntry | undefined,
  watch: FolderWatch,
): AsyncGenerator<StreamMessage, void> {
  const { id } = one;
  const metrics = indexed?.metrics;
  // The events of such a run may count calls, but not all of them do.
  const batch = indexed && indexed.entry.task !== CUSTOM_TASK ? batchOf(indexed) : null;
  const stamp = metrics ? await watch.stampOf(metrics.file) : null;
  while (metrics && one.drained !== stamp) {
    const next = await making.run(() => nextMessage(id, metrics, one.position, batch)).catch(() => null);
    if (!next) break; // it cannot be read, which the answer for its curves says
    one.position = next.position;
    if (!next.hasMore) one.drained = stamp;
    if (next.message) yield next.message;
  }
  const state = indexed?.entry.state ?? "broken";
  if (state === one.state) return;
  one.state = state;
  yield { entry: id, kind: "state", state };
}
