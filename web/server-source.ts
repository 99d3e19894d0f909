// Data from the dashboard's server.

import type { EntryList, ErrorAnswer, StreamMessage } from "../src/views/page-data.ts";
import { decodeSeries, SERIES_TYPE } from "../src/views/series-bytes.ts";
import type { DataSource, FollowHandlers, RunControl } from "./data-source.ts";

/** Milliseconds before a stream that the browser gave up on is opened again. */
const REOPEN_AFTER = 3000;

/** The server that sent the page. */
export function serverSource(): DataSource {
  let allowsTraining = false;
  return {
    async list() {
      const list = await get<EntryList>("/api/runs");
      allowsTraining = list.allowsTraining;
      return list;
    },
    detail: (id) => get(`/api/entry?${query({ id })}`),
    async series(request) {
      const address = "/api/series";
      return decodeSeries(await (await sent(address, posted(address, request, SERIES_TYPE))).arrayBuffer());
    },
    table: (request) => post("/api/table", request),
    view: (id, view, options = {}) =>
      get(`/api/view?${query({ id, view, options: JSON.stringify(options) })}`),
    hasView: () => true,
    live: {
      follow,
      async report(entries, state) {
        const address = `/api/report?${query({ entries: JSON.stringify(entries), state })}`;
        return (await sent(address, fetch(address))).blob();
      },
      fileAddress: (id, name) => `/api/file?${query({ id, name })}`,
      get control() {
        return allowsTraining ? CONTROL : null;
      },
    },
  };
}

const CONTROL: RunControl = {
  train: async (settings) => (await post<{ readonly id: string }>("/api/train", settings)).id,
  stop: async (id) => void (await post("/api/stop", { id })),
  resume: async (id) => void (await post("/api/resume", { id })),
};

/** The stream of some entries. The browser reconnects by itself and names the last message that it got. */
function follow(entries: readonly string[], { onMessage, onList, onConnection }: FollowHandlers): () => void {
  let stream: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Where the stream is. The browser forgets it when it gives up, as after a restart of the server with a new token. */
  let cursor = "";
  const open = () => {
    const place = { entries: JSON.stringify(entries), ...(cursor && { cursor }) };
    stream = new EventSource(`/api/stream?${query(place)}`);
    stream.addEventListener("open", () => onConnection(true));
    stream.addEventListener("message", ({ data, lastEventId }) => {
      cursor = lastEventId;
      onMessage(JSON.parse(data) as StreamMessage);
    });
    stream.addEventListener("list", onList);
    stream.addEventListener("error", () => {
      onConnection(false);
      // After an answer that is no stream, the browser does not try again.
      if (stream.readyState === EventSource.CLOSED) timer = setTimeout(open, REOPEN_AFTER);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}

function query(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString();
}

function get<T>(address: string): Promise<T> {
  return answerOf(address, fetch(address));
}

function post<T>(address: string, body: unknown): Promise<T> {
  return answerOf(address, posted(address, body, "application/json"));
}

function posted(address: string, body: unknown, accept: string): Promise<Response> {
  const headers = { "content-type": "application/json", accept };
  return fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
}

async function answerOf<T>(address: string, request: Promise<Response>): Promise<T> {
  return (await (await sent(address, request)).json()) as T;
}

/** The response; throws an error with the sentence of the server if it refuses. */
async function sent(address: string, request: Promise<Response>): Promise<Response> {
  const response = await request.catch(() => {
    throw new Error("The dashboard's server does not answer; start it again with gflownet dashboard.");
  });
  if (response.ok) return response;
  const answer = (await response.json().catch(() => null)) as ErrorAnswer | null;
  throw new Error(answer?.error ?? `${address.split("?")[0]} answered with status ${response.status}.`);
}
