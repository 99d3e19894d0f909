// Tests the stream of a page: every point once, across lost connections, server restarts and rewritten files.

import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { afterAll, expect, test } from "vitest";
import { type Client, clientOf, type Following } from "../../test/support/dashboard-client.ts";
import { end, evaluation, iteration, watchedFolder } from "../../test/support/entry-folders.ts";
import { acquireLock } from "../disk/lock.ts";
import { formatEvent } from "../run/event-lines.ts";
import { EntryIndex } from "../views/entry-index.ts";
import type { SeriesAnswer, StreamMessage } from "../views/page-data.ts";
import { eventStream } from "./event-stream.ts";
import { FolderWatch } from "./folder-watch.ts";
import { type Dashboard, startDashboard } from "./server.ts";

const folder = watchedFolder();
const open: Dashboard[] = [];
afterAll(() => Promise.all(open.map((dashboard) => dashboard.close())));

async function started(): Promise<{ readonly dashboard: Dashboard; readonly client: Client }> {
  const dashboard = await startDashboard({ folder: folder.root, version: "", port: 0, pollMs: 50 });
  open.push(dashboard);
  return { dashboard, client: await clientOf(dashboard.url) };
}

const iterationsOf = (messages: readonly StreamMessage[], metric = "loss") =>
  messages.flatMap(({ points }) => (points?.[metric] ?? []).map(([number]) => number));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const isFollowing = (following: Following) => following.until(() => following.lastId !== "");

test("new points arrive once, with calls and seconds as far as they are known", async () => {
  folder.run("runs/a", {}, [iteration(1, 9)]);
  const { client } = await started();
  const following = await client.follow(["runs/a"]);
  await isFollowing(following);
  folder.append("runs/a", iteration(2, 8), evaluation(2, 5, 0.5), iteration(3, 7, { calls: 40 }));
  await following.until(() => iterationsOf(following.messages).length >= 2);
  const all = following.messages.filter(({ kind }) => kind === "points");
  expect(all.flatMap(({ points }) => points!.loss ?? [])).toEqual([
    [2, 32, null, 8],
    [3, 40, null, 7],
  ]);
  expect(all.flatMap(({ points }) => points!.tv ?? [])).toEqual([[2, 32, 5, 0.5]]);
  expect(following.messages.find(({ kind }) => kind === "state")?.state).toBe("interrupted");
  following.close();
});

test("a page that lost its connection, and whose server was restarted, goes on without a gap or a double", async () => {
  folder.run("runs/b", {}, []);
  const seen: number[] = [];
  let number = 0;
  let lastId: string | undefined;
  const write = (count: number) => {
    for (let i = 0; i < count; i++) folder.append("runs/b", iteration(++number, number));
  };
  let { dashboard, client } = await started();
  for (let round = 0; round < 4; round++) {
    const following = await client.follow(["runs/b"], { lastId });
    await isFollowing(following);
    write(50);
    // An incomplete line is waited for.
    const line = formatEvent(iteration(++number, number));
    appendFileSync(folder.at("runs/b/metrics.jsonl"), line.slice(0, 30));
    // In the last round everything is waited for, otherwise the connection ends somewhere.
    const enough = () => iterationsOf(following.messages).length >= (round === 3 ? 50 : 1);
    await following.until(enough);
    following.close();
    seen.push(...iterationsOf(following.messages));
    lastId = following.events.at(-1)?.id;
    appendFileSync(folder.at("runs/b/metrics.jsonl"), line.slice(30));
    write(7); // while nobody is connected
    if (round % 2 === 0) {
      await dashboard.close();
      ({ dashboard, client } = await started());
    }
  }
  const last = await client.follow(["runs/b"], { lastId });
  await last.until(() => iterationsOf(last.messages).includes(number));
  last.close();
  expect([...seen, ...iterationsOf(last.messages)]).toEqual(numbers(1, number));
});

test("the cursor of a series continues exactly behind its points", async () => {
  folder.run("runs/c", {}, [iteration(1, 1), iteration(2, 1)]);
  const { client } = await started();
  const { series, cursor } = await client.json<SeriesAnswer>("/api/series", {
    ...{ entries: ["runs/c"], metric: "loss", x: "iteration", columns: 10 },
  });
  folder.append("runs/c", iteration(3, 1)); // between the answer and the stream
  const following = await client.follow(["runs/c"], { cursor });
  await following.until(() => iterationsOf(following.messages).length > 0);
  following.close();
  expect([...series[0].x, ...iterationsOf(following.messages)]).toEqual([1, 2, 3]);
});

test("a resumed run, whose metrics were cut off, restarts the stream", async () => {
  folder.run(
    "runs/d",
    {},
    numbers(1, 40).map((number) => iteration(number, number)),
  );
  const file = folder.at("runs/d/metrics.jsonl");
  const { client } = await started();
  const following = await client.follow(["runs/d"]);
  await isFollowing(following);
  folder.append("runs/d", iteration(41, 41));
  await following.until(() => iterationsOf(following.messages).length === 1);
  truncateSync(
    file,
    Buffer.byteLength(
      numbers(1, 20)
        .map((number) => formatEvent(iteration(number, number)))
        .join(""),
    ),
  );
  await following.until(() => following.messages.some(({ kind }) => kind === "restart"));
  folder.append("runs/d", { kind: "start", resumedAt: 20 }, iteration(21, 210));
  await following.until(() => iterationsOf(following.messages).includes(21));
  following.close();
  const kinds = following.messages.map(({ kind }) => kind);
  const after = following.messages.slice(kinds.indexOf("restart") + 1);
  expect(iterationsOf(after)).toEqual(numbers(1, 21));
});

test("metrics that were cut off and became longer again while nobody looked restart the stream too", async () => {
  folder.run(
    "runs/e",
    {},
    numbers(1, 40).map((number) => iteration(number, number)),
  );
  const { client } = await started();
  const first = await client.follow(["runs/e"]);
  await isFollowing(first);
  const { lastId } = first;
  first.close();
  const again = [
    ...numbers(1, 20).map((number) => iteration(number, number)),
    { kind: "start", resumedAt: 20 },
  ];
  const rest = numbers(21, 60).map((number) => iteration(number, number));
  writeFileSync(folder.at("runs/e/metrics.jsonl"), [...again, ...rest].map(formatEvent).join(""));
  const second = await client.follow(["runs/e"], { lastId });
  await second.until(() => iterationsOf(second.messages).includes(60));
  second.close();
  expect(second.messages[0].kind).toBe("restart");
  expect(iterationsOf(second.messages)).toEqual(numbers(1, 60));
});

test("the list is announced when a run appears, and states when a run starts, ends or is deleted", async () => {
  folder.run("runs/f", {}, []);
  const { client } = await started();
  const following = await client.follow(["runs/f"]);
  const states = () => following.messages.flatMap(({ kind, state }) => (kind === "state" ? [state] : []));
  await following.until(() => states().length === 1);
  const lists = () => following.events.filter(({ event }) => event === "list").length;
  const before = lists();
  const lock = await acquireLock(folder.at("runs/f"));
  await following.until(() => states().at(-1) === "running");
  folder.append("runs/f", iteration(10, 1), end(10, 2));
  await lock.release();
  await following.until(() => states().at(-1) === "finished");
  // Its last points come before the message that it is finished.
  expect(following.messages.map(({ kind }) => kind)).toEqual(["state", "state", "points", "state"]);
  folder.remove("runs/f");
  await following.until(() => states().at(-1) === "broken");
  await following.until(() => lists() > before);
  following.close();
});

test("a damaged cursor begins with all points, and an unknown entry is silent", async () => {
  folder.run("runs/g", {}, [iteration(1, 1)]);
  const { client } = await started();
  for (const lastId of ["nonsense", "~~..", `${"x".repeat(10)}.zz.zz`]) {
    const following = await client.follow(["runs/g", "../secret"], { lastId });
    await following.until(() => iterationsOf(following.messages).length > 0);
    expect(iterationsOf(following.messages)).toEqual([1]);
    following.close();
  }
});

test("nothing is read ahead of a slow reader", async () => {
  folder.run(
    "runs/j",
    {},
    numbers(1, 20_000).map((number) => iteration(number, number)),
  );
  const ended = new AbortController();
  const stream = eventStream({
    ...{ entries: ["runs/j"], cursor: "none", watch: new FolderWatch(new EntryIndex(folder.root), 10) },
    ...{ signal: ended.signal, onEnd: () => {} },
  });
  const reader = stream.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toMatch(/^retry: /);
  expect(await next()).toContain('"kind":"points"');
  await new Promise((done) => setTimeout(done, 100));
  // Points of the old file that had been read already would come before the news that it was rewritten.
  folder.run("runs/j", {}, [iteration(1, 7)]);
  expect(await next()).toContain('"kind":"restart"');
  expect(await next()).toContain("[1,16,null,7]");
  ended.abort();
});

test("a slow reader gets everything in the end, and others are answered meanwhile", async () => {
  const lines = 120_000;
  const part = (from: number) =>
    numbers(from, from + 9999)
      .map((number) => formatEvent(iteration(number, Math.sin(number))))
      .join("");
  folder.run("runs/h", {}, []);
  for (let from = 1; from <= lines; from += 10_000)
    appendFileSync(folder.at("runs/h/metrics.jsonl"), part(from));
  const { dashboard, client } = await started();
  const socket = createConnection(dashboard.port, "127.0.0.1");
  socket.pause();
  const query = `entries=${encodeURIComponent('["runs/h"]')}&cursor=none`;
  socket.write(
    `GET /api/stream?${query} HTTP/1.1\r\nHost: 127.0.0.1:${dashboard.port}\r\nCookie: ${client.cookie}\r\n\r\n`,
  );
  await new Promise((done) => setTimeout(done, 1000));
  expect((await client.get("/api/runs")).status).toBe(200);
  // Now it reads.
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-4000);
  });
  socket.resume();
  const limit = performance.now() + 30_000;
  while (!text.includes(`[${lines},`) && performance.now() < limit) {
    await new Promise((done) => setTimeout(done, 50));
  }
  expect(text).toContain(`[${lines},`);
  socket.destroy();
});

test("streams end with the server", async () => {
  folder.run("runs/i", {}, []);
  const { dashboard, client } = await started();
  const answer = await fetch(`http://127.0.0.1:${dashboard.port}/api/stream`, {
    headers: { cookie: client.cookie },
  });
  const reader = answer.body!.getReader();
  await reader.read();
  await dashboard.close();
  await expect(
    (async () => {
      while (!(await reader.read()).done);
      return "ended";
    })().catch(() => "ended"),
  ).resolves.toBe("ended");
});
