// A client of the dashboard's server for tests: requests with any headers, the cookie, and a reader of the stream.

import { request } from "node:http";
import type { StreamMessage } from "../../src/views/page-data.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

/** Sends a request exactly as given: a path is not normalised, and every header can be chosen. */
export function send(
  port: number,
  path: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Headers; body?: string } = {},
): Promise<Answer> {
  return new Promise((done, fail) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      answer.on("error", fail);
    });
    sent.on("error", fail).end(body);
  });
}

export interface Client {
  readonly cookie: string;
  get(path: string, headers?: Headers): Promise<Answer>;
  /** The JSON of an answer that must have status 200. */
  json<T>(path: string, body?: object): Promise<T>;
  post(path: string, body: unknown, headers?: Headers): Promise<Answer>;
  /** Follows entries until `close`. */
  follow(entries: readonly string[], options?: { lastId?: string; cursor?: string }): Promise<Following>;
}

export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export interface Following {
  readonly events: StreamEvent[];
  /** The messages so far. */
  readonly messages: StreamMessage[];
  /** The cursor of the last event. */
  readonly lastId: string;
  /** Resolves when a condition holds. */
  until(condition: () => boolean): Promise<void>;
  close(): void;
}

/** Exchanges the token of an address for a cookie. */
export async function clientOf(url: string): Promise<Client> {
  const { port: text, pathname, search } = new URL(url);
  const port = Number(text);
  const { headers } = await send(port, pathname + search);
  const cookie = String(headers["set-cookie"]).split(";")[0];
  const get: Client["get"] = (path, more = {}) => send(port, path, { headers: { cookie, ...more } });
  const post: Client["post"] = (path, body, more = {}) =>
    send(port, path, {
      method: "POST",
      headers: { cookie, "content-type": "application/json", ...more },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    cookie,
    get,
    post,
    async json<T>(path: string, body?: object) {
      const answer = body ? await post(path, body) : await get(path);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      return JSON.parse(answer.text) as T;
    },
    async follow(entries, { lastId, cursor } = {}) {
      const query = `entries=${encodeURIComponent(JSON.stringify(entries))}${cursor ? `&cursor=${cursor}` : ""}`;
      const headers = { cookie, ...(lastId !== undefined && { "last-event-id": lastId }) };
      const ended = new AbortController();
      const answer = await fetch(`http://127.0.0.1:${port}/api/stream?${query}`, {
        headers,
        signal: ended.signal,
      });
      if (answer.status !== 200) throw new Error(`stream: ${answer.status} ${await answer.text()}`);
      return following(answer.body!, ended);
    },
  };
}

function following(body: ReadableStream<Uint8Array>, ended: AbortController): Following {
  const events: StreamEvent[] = [];
  let lastId = "";
  let rest = "";
  (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const fields = new Map(
          part
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
        );
        lastId = fields.get("id") ?? lastId;
        if (!fields.has("data")) continue;
        events.push({ event: fields.get("event") ?? "message", id: lastId, data: fields.get("data")! });
      }
    }
  })().catch(() => {});
  return {
    events,
    get messages() {
      return events.flatMap(({ event, data }) =>
        event === "message" ? [JSON.parse(data) as StreamMessage] : [],
      );
    },
    get lastId() {
      return lastId;
    },
    async until(condition) {
      const limit = performance.now() + 20_000;
      while (!condition()) {
        if (performance.now() > limit)
          throw new Error(`it did not happen: ${JSON.stringify(events.slice(-3))}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    },
    close: () => ended.abort(),
  };
}
