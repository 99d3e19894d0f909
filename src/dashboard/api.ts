// The answers of the dashboard's server to its page, as JSON (src/views/page-data.ts has the types).

import type { FileHandle } from "node:fs/promises";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { openIfExists } from "../disk/open-file.ts";
import { show, UserError } from "../issues.ts";
import { entryDetail } from "../views/entry-detail.ts";
import { fileOf } from "../views/entry-files.ts";
import type { EntryIndex, IndexedEntry } from "../views/entry-index.ts";
import { METRIC_INFOS } from "../views/metric-list.ts";
import type { MetricStore } from "../views/metric-store.ts";
import type { EntryList } from "../views/page-data.ts";
import { explainProblem } from "../views/problem-text.ts";
import { seriesAnswer } from "../views/series-answer.ts";
import { encodeSeries, SERIES_TYPE } from "../views/series-bytes.ts";
import { tableAnswer } from "../views/table-answer.ts";
import { eventStream } from "./event-stream.ts";
import type { FolderWatch } from "./folder-watch.ts";
import { ReportMaker } from "./report-answer.ts";
import {
  entriesOf,
  idOf,
  objectOf,
  parse,
  readBody,
  seriesRequest,
  tableRequest,
  viewNameOf,
  viewOptionsOf,
} from "./request-data.ts";
import { RequestError } from "./request-error.ts";
import type { TrainingControl } from "./training-control.ts";
import type { ViewThread } from "./view-thread.ts";

export interface ApiParts {
  readonly index: EntryIndex;
  readonly store: MetricStore;
  readonly watch: FolderWatch;
  readonly views: ViewThread;
  /** Null for a dashboard that only shows. */
  readonly training: TrainingControl | null;
  /** The watched folder, as the command named it. */
  readonly folder: string;
  readonly version: string;
  /** Ends all streams. */
  readonly signal: AbortSignal;
}

const LARGEST_BODY = 2 ** 20;
/** Entries that one page may follow, and streams at a time. */
const MOST_FOLLOWED = 200;
const MOST_STREAMS = 100;
const CHUNK = 2 ** 16;

export function api(parts: ApiParts): Hono {
  const { index, store, watch, views, folder, version, signal } = parts;
  const app = new Hono();
  const reports = new ReportMaker(parts);
  let streams = 0;

  app.use(async (c, next) => {
    if (!["GET", "POST"].includes(c.req.method)) throw new RequestError(405, "use GET or POST");
    await next();
  });
  const tooLarge = `the body of a request must have at most ${LARGEST_BODY} bytes`;
  app.use(bodyLimit({ maxSize: LARGEST_BODY, onError: (c) => c.json({ error: tooLarge }, 413) }));

  app.get("/runs", async (c) => {
    const entries = [...(await index.entries(FRESH_MS)).values()].map(({ entry }) => entry);
    const list: EntryList = {
      ...{ folder, entries, metrics: METRIC_INFOS, allowsTraining: parts.training !== null, version },
    };
    return c.json(list);
  });

  app.get("/entry", async (c) => c.json(await entryDetail(await entryOf(c.req.query("id")), store)));

  app.post("/series", async (c) => {
    const { entries, ...request } = seriesRequest(await readBody(c));
    const answer = await seriesAnswer(await existing(entries), request, store);
    if (c.req.header("accept") !== SERIES_TYPE) return c.json(answer);
    return c.body(encodeSeries(answer), 200, { "Content-Type": SERIES_TYPE });
  });

  app.post("/table", async (c) => {
    const { entries, ...request } = tableRequest(await readBody(c));
    return c.json(await tableAnswer(await existing(entries), request, store));
  });

  app.get("/view", async (c) => {
    const { folder: path, entry } = await entryOf(c.req.query("id"));
    const view = viewNameOf(c.req.query("view"));
    const options = viewOptionsOf(c.req.query("options"));
    if (entry.kind === "experiment") throw new RequestError(404, `${entry.name} has no views`);
    const reply = await views.compute({ folder: path, view, options });
    if ("problem" in reply) throw new RequestError(422, reply.problem);
    return c.json(reply.data);
  });

  app.get("/stream", (c) => {
    const entries = entriesOf(parse(c.req.query("entries") ?? "[]", "entries"), MOST_FOLLOWED);
    if (streams >= MOST_STREAMS) {
      throw new RequestError(503, `${MOST_STREAMS} pages are connected; close one of them`);
    }
    // A browser that connects again sends the cursor as a header, a page that begins anew as a part of the address.
    const cursor = c.req.header("last-event-id") || c.req.query("cursor") || null;
    streams++;
    const onEnd = () => {
      streams--;
    };
    return c.body(eventStream({ entries, cursor, watch, signal, onEnd }), 200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
  });

  app.get("/file", async (c) => {
    const indexed = await entryOf(c.req.query("id"));
    const name = c.req.query("name") ?? "";
    const path = fileOf(indexed, name);
    const file = path === null ? null : await openIfExists(path);
    if (!file) throw new RequestError(404, `${indexed.entry.name} has no file ${show(name)}`);
    const { size } = await file.stat();
    // Never shown as a page of this server: a report is a page that somebody else may have made.
    return c.body(fileStream(file, size), 200, {
      "Content-Type": "application/octet-stream",
      "Content-Length": String(size),
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    });
  });

  app.get("/report", async (c) => {
    const asked = entriesOf(parse(c.req.query("entries") ?? "[]", "entries"));
    const entries = await existing(asked);
    if (entries.length === 0) throw new RequestError(404, "there is no entry to report about");
    return c.body(await reports.make(entries, c.req.query("state") ?? ""), 200, {
      // Never shown as a page of this server, like other files.
      "Content-Type": "application/octet-stream",
      "Content-Disposition": 'attachment; filename="report.html"',
    });
  });

  app.post("/train", async (c) => {
    const body = await readBody(c);
    const settings = objectOf(body.settings ?? body, "settings");
    return c.json({ id: await training().train(settings) });
  });

  app.post("/stop", async (c) => {
    const control = training();
    await control.stop(await entryOf((await readBody(c)).id));
    return c.json({});
  });

  app.post("/resume", async (c) => {
    const control = training();
    const { id } = await readBody(c);
    await index.entries(); // its state must be that of now
    await control.resume(await entryOf(id));
    return c.json({});
  });

  app.all("*", (c) => c.json({ error: `there is nothing at ${show(c.req.path)}` }, 404));

  app.onError((error, c) => {
    if (error instanceof RequestError) return c.json({ error: error.message }, error.status);
    if (error instanceof UserError) return c.json({ error: error.message, issues: error.issues }, 400);
    return c.json({ error: explainProblem(error) }, 500);
  });

  async function entryOf(given: unknown): Promise<IndexedEntry> {
    const id = idOf(given);
    const found = await index.find(id);
    if (found) return found;
    throw new RequestError(404, `there is no entry ${show(id)} in the folder; it may have been deleted`);
  }

  /** The entries of a request that exist. One that was deleted meanwhile does not spoil the others. */
  async function existing(ids: readonly string[]): Promise<IndexedEntry[]> {
    const found = await Promise.all(ids.map((id) => index.find(id)));
    return found.flatMap((indexed) => indexed ?? []);
  }

  function training(): TrainingControl {
    if (parts.training) return parts.training;
    throw new RequestError(403, "this dashboard only shows; start it with --allow-train to train");
  }

  return app;
}

/** A list that is younger than this is not read again. */
const FRESH_MS = 250;

/** The bytes of a file, read as the connection takes them. */
function fileStream(file: FileHandle, size: number): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = new Uint8Array(Math.min(CHUNK, size - offset));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, offset);
        offset += bytesRead;
        if (bytesRead > 0) controller.enqueue(chunk.subarray(0, bytesRead));
        if (bytesRead > 0 && offset < size) return;
        await file.close();
        // A file that became shorter ends the connection, so that the page notices.
        if (offset < size) controller.error(new Error("the file became shorter"));
        else controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}
