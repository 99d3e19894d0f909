// Tests the dashboard's server on loopback: who may ask, what is answered, and what is refused.

import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, clientOf, send } from "../../test/support/dashboard-client.ts";
import { end, evaluation, iteration, record, watchedFolder } from "../../test/support/entry-folders.ts";
import { unpackReport } from "../views/packed-report.ts";
import type { EntryDetail, EntryList, SeriesAnswer, TableAnswer } from "../views/page-data.ts";
import { decodeSeries, SERIES_TYPE } from "../views/series-bytes.ts";
import { type Dashboard, startDashboard } from "./server.ts";

const folder = watchedFolder();
const outside = watchedFolder();
folder.run("runs/a", { seed: 0 }, [
  ...[evaluation(0, 1, 0.5), iteration(10, 4), iteration(20, 2), evaluation(20, 3, 0.25), end(20, 4)],
]);
folder.run("runs/b", { seed: 1 }, [
  ...[evaluation(0, 2, 0.75), iteration(10, 8), iteration(20, 4), evaluation(20, 4, 0.125), end(20, 5)],
]);
folder.run("runs/<script>alert(1)", { seed: 5, stick: 0.5 }, []);
folder.write("runs/a/samples.csv", "sequence,score\n");
folder.comparison("comparisons/c", [
  [
    { method: "kl", stick: 0.25, seed: 0 },
    [record({ iteration: 4, calls: 64, tv: 0.5, dynamicsLoss: 1, dynamicsFloor: 0.75 })],
  ],
]);
folder.backtest("backtests/b");
outside.run("secret", {}, []);
outside.write("secret.txt", "secret");
symlinkSync(outside.at("secret"), folder.at("runs/link"));
folder.run("runs/linked-files", {}, []);
symlinkSync(outside.at("secret.txt"), folder.at("runs/linked-files/samples.csv"));
mkdirSync(folder.at("page/assets"), { recursive: true });
writeFileSync(folder.at("page/dashboard.html"), "<!doctype html><title>page</title>");
writeFileSync(folder.at("page/assets/page.js"), "export {};");

let dashboard: Dashboard;
let client: Client;
beforeAll(async () => {
  dashboard = await startDashboard({
    ...{ folder: folder.root, version: "1.2.3", port: 0, page: folder.at("page") },
  });
  client = await clientOf(dashboard.url);
});
afterAll(() => dashboard.close());

const host = () => `127.0.0.1:${dashboard.port}`;
const errorOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as { error: string }).error;

describe("access", () => {
  test("the token of the first address is exchanged for a cookie, and the address loses it", async () => {
    const { pathname, search } = new URL(dashboard.url);
    const { status, headers } = await send(dashboard.port, pathname + search);
    expect([status, headers.location]).toEqual([303, "/"]);
    expect(String(headers["set-cookie"])).toMatch(
      new RegExp(`^gflownet-dashboard-${dashboard.port}=[\\w-]{32}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    const page = await client.get("/");
    expect([page.status, page.text]).toEqual([200, "<!doctype html><title>page</title>"]);
  });

  test("without the cookie nothing is answered", async () => {
    for (const path of [
      "/",
      "/api/runs",
      "/api/stream",
      "/assets/page.js",
      "/api/file?id=runs/a&name=config.json",
    ]) {
      expect((await send(dashboard.port, path)).status).toBe(401);
    }
    const cookie = `gflownet-dashboard-${dashboard.port}=${"x".repeat(32)}`;
    expect((await send(dashboard.port, "/api/runs", { headers: { cookie } })).status).toBe(401);
    const name = client.cookie.replace(/^[^=]+/, "gflownet-dashboard-1");
    expect((await send(dashboard.port, "/api/runs", { headers: { cookie: name } })).status).toBe(401);
  });

  test("a wrong token gives no cookie", async () => {
    for (const token of ["", "wrong", createHash("sha256").update("").digest("base64url")]) {
      const { status, headers } = await send(dashboard.port, `/?token=${token}`);
      expect([status, headers["set-cookie"]]).toEqual([401, undefined]);
    }
  });

  test("a token for once is valid once", async () => {
    const { pathname, search } = new URL(dashboard.urlForOnce());
    const answers = [
      await send(dashboard.port, pathname + search),
      await send(dashboard.port, pathname + search),
    ];
    expect(answers.map(({ status }) => status)).toEqual([303, 401]);
  });

  test("a foreign host is refused, so a name that leads here by DNS gets nothing", async () => {
    for (const foreign of [
      "evil.example",
      `evil.example:${dashboard.port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `127.0.0.1.:${dashboard.port}`,
    ]) {
      const { status } = await client.get("/api/runs", { host: foreign });
      expect([foreign, status]).toEqual([foreign, 403]);
    }
    for (const own of [host(), `localhost:${dashboard.port}`, `[::1]:${dashboard.port}`]) {
      expect((await client.get("/api/runs", { host: own })).status).toBe(200);
    }
  });

  test("a foreign origin is refused", async () => {
    for (const origin of [
      "http://evil.example",
      "null",
      `https://${host()}`,
      "http://127.0.0.1:1",
      `http://localhost:${dashboard.port}`,
    ]) {
      expect((await client.get("/api/runs", { origin })).status).toBe(403);
      expect((await client.post("/api/series", {}, { origin })).status).toBe(403);
    }
    expect((await client.get("/api/runs", { origin: `http://${host()}` })).status).toBe(200);
  });

  test("a request that another site caused is refused", async () => {
    for (const site of ["cross-site", "same-site", "anything"]) {
      expect((await client.get("/api/runs", { "sec-fetch-site": site })).status).toBe(403);
      const { pathname, search } = new URL(dashboard.url);
      const first = await send(dashboard.port, pathname + search, { headers: { "sec-fetch-site": site } });
      expect([first.status, first.headers["set-cookie"]]).toEqual([403, undefined]);
    }
    for (const site of ["same-origin", "none"]) {
      expect((await client.get("/api/runs", { "sec-fetch-site": site })).status).toBe(200);
    }
  });

  test("every answer forbids inline scripts, guessing of types, frames, other origins and caches", async () => {
    for (const path of ["/", "/api/runs", "/api/nothing", "/nothing", "/?token=wrong"]) {
      const { headers } = await client.get(path);
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy.replace("style-src 'self' 'unsafe-inline'", "")).not.toContain("unsafe");
      expect(headers).toMatchObject({
        ...{ "x-content-type-options": "nosniff", "x-frame-options": "DENY", "cache-control": "no-store" },
        "cross-origin-resource-policy": "same-origin",
      });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
    expect((await client.get("/assets/page.js")).headers["cache-control"]).toContain("immutable");
  });
});

describe("paths", () => {
  const ids = [
    ...[
      "../secret",
      "..%2Fsecret",
      "..%2fsecret",
      "%2e%2e/secret",
      "runs/../../secret",
      "runs/a/../../../secret",
    ],
    ...["/etc", "/", "%2Fetc", "runs/link", "runs%2Flink", "runs/a/", "./runs/a", "runs\\a", "runs/a%00"],
    ...["....//secret", "comparisons/c%23..%2F..%2Fsecret"],
  ];

  test("outside of the folder lead nowhere", async () => {
    const absolute = encodeURIComponent(outside.at("secret"));
    const relative = encodeURIComponent(`../${outside.root.split("/").at(-1)}/secret`);
    for (const id of [...ids, absolute, relative]) {
      for (const path of [
        `/api/entry?id=${id}`,
        `/api/view?id=${id}&view=flow`,
        `/api/file?id=${id}&name=config.json`,
      ]) {
        const { status } = await client.get(path);
        expect([path, status]).toEqual([path, 404]);
      }
    }
    const series = await client.json<SeriesAnswer>("/api/series", {
      ...{
        entries: ["../secret", outside.at("secret"), "runs/link"],
        metric: "loss",
        x: "iteration",
        columns: 10,
      },
    });
    expect(series.series).toEqual([]);
  });

  test("of files are fixed names, and links are not followed", async () => {
    for (const name of [
      "../b/config.json",
      "run.lock",
      "..%2Fb%2Fconfig.json",
      "/etc/passwd",
      "constructor",
      "",
    ]) {
      expect((await client.get(`/api/file?id=runs/a&name=${name}`)).status).toBe(404);
    }
    const linked = await client.get("/api/file?id=runs/linked-files&name=samples.csv");
    expect(linked.status).toBe(500);
    expect(errorOf(linked)).toContain("it is a symbolic link");
    const file = await client.get("/api/file?id=runs/a&name=samples.csv");
    expect([file.status, file.text, file.headers["content-disposition"]]).toEqual([
      ...[200, "sequence,score\n", "attachment; filename*=UTF-8''samples.csv"],
    ]);
  });

  test("of the page are those of its files", async () => {
    for (const path of [
      "/../page/dashboard.html",
      "/%2e%2e/runs/a/config.json",
      "/assets/../../runs/a/config.json",
      "/runs/a/config.json",
      "/assets/%2e%2e%2f%2e%2e%2fruns",
    ]) {
      const { status, text } = await client.get(path);
      expect([path, status === 404 || text.includes("<title>page")]).toEqual([path, true]);
      expect(text).not.toContain("hypergrid");
    }
  });
});

describe("answers", () => {
  test("the list has the entries, the metrics and the version", async () => {
    const list = await client.json<EntryList>("/api/runs");
    expect(list).toMatchObject({ folder: folder.root, version: "1.2.3", allowsTraining: false });
    expect(list.entries.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["runs/a", "runs/b", "comparisons/c", "backtests/b", "runs/linked-files"]),
    );
    expect(list.entries.map(({ id }) => id)).not.toContain("runs/link");
    expect(list.metrics.find(({ name }) => name === "tv")).toEqual({
      ...{ name: "tv", label: "total variation", source: "exact", scale: "log", better: "low" },
    });
  });

  test("curves have limit, uniform policy and groups by seed", async () => {
    const request = { entries: ["runs/a", "runs/b"], metric: "tv", x: "iteration", columns: 100 };
    const { series, groups } = await client.json<SeriesAnswer>("/api/series", request);
    expect(series[1]).toEqual({
      ...{ entry: "runs/b", x: [0, 20], low: [0.75, 0.125], high: [0.75, 0.125], mean: [0.75, 0.125] },
      ...{ points: 2, limit: 0.01, uniform: 0.5 },
    });
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({
      ...{ entries: ["runs/a", "runs/b"], x: [0, 20], mean: [0.625, 0.1875], count: [2, 2] },
      ...{ limit: 0.01, uniform: 0.5 },
    });
    expect(groups[0].deviation[0]).toBeCloseTo(0.25 / Math.SQRT2, 12);
  });

  test("curves as bytes are the same", async () => {
    const request = { entries: ["runs/a", "runs/b"], metric: "loss", x: "calls", columns: 100 };
    const answer = await fetch(`http://127.0.0.1:${dashboard.port}/api/series`, {
      method: "POST",
      headers: { cookie: client.cookie, "content-type": "application/json", accept: SERIES_TYPE },
      body: JSON.stringify(request),
    });
    expect(answer.headers.get("content-type")).toBe(SERIES_TYPE);
    expect(decodeSeries(await answer.arrayBuffer())).toEqual(await client.json("/api/series", request));
  });

  test("metrics that cannot be read are told with the curves of the others", async () => {
    folder.run("runs/endless", {}, [iteration(1, 1)]);
    appendFileSync(folder.at("runs/endless/metrics.jsonl"), `"${"a".repeat(2 ** 24 + 2 ** 20)}"\n`);
    // The list may be a quarter of a second old.
    await expect.poll(async () => (await client.get("/api/entry?id=runs/endless")).status).toBe(200);
    const { series, problems } = await client.json<SeriesAnswer>("/api/series", {
      ...{ entries: ["runs/a", "runs/endless"], metric: "loss", x: "iteration", columns: 10 },
    });
    expect(series.map(({ entry }) => entry)).toEqual(["runs/a"]);
    expect(problems).toEqual(["endless: a line of the metrics has more than 16777216 bytes; remove it"]);
    const { entry } = await client.json<EntryDetail>("/api/entry?id=runs/endless");
    expect(entry.problem).toBe(
      "the last MiB of metrics.jsonl has no line that can be read; remove what is damaged",
    );
    rmSync(folder.at("runs/endless"), { recursive: true });
  });

  test("curves over calls and seconds", async () => {
    const request = { entries: ["runs/a"], metric: "loss", columns: 100 };
    const calls = await client.json<SeriesAnswer>("/api/series", { ...request, x: "calls" });
    expect(calls.series[0].x).toEqual([160, 320]); // 16 objects an iteration
    const seconds = await client.json<SeriesAnswer>("/api/series", { ...request, x: "seconds" });
    expect(seconds.series[0].x).toEqual([2, 3]); // half-way from 1 s to 3 s, and at 3 s
  });

  test("records of experiments have their own calls and references", async () => {
    const entries = ["comparisons/c#kl_stick=0.25_seed=0.jsonl"];
    const request = { entries, metric: "dynamicsLoss", x: "calls", columns: 10 };
    const { series } = await client.json<SeriesAnswer>("/api/series", request);
    expect(series[0]).toMatchObject({ x: [64], mean: [1], limit: 0.75, uniform: null });
  });

  test("the table has best, last and chosen values, means over groups, and differences of settings", async () => {
    const { rows, differences } = await client.json<TableAnswer>("/api/table", {
      ...{ entries: ["runs/a", "runs/b"], metrics: ["loss", "tv", "gradientNorm"], x: "iteration", at: 15 },
    });
    expect(rows.map(({ entry, count, label }) => [entry, count, label])).toEqual([
      [null, 2, "hypergrid"],
      ["runs/a", 1, "a"],
      ["runs/b", 1, "b"],
    ]);
    expect(rows[1].cells).toEqual({
      loss: { best: 2, last: 2, at: 4 },
      tv: { best: 0.25, last: 0.25, at: 0.5 },
      gradientNorm: { best: null, last: 1, at: 1 },
    });
    const { loss, gradientNorm } = rows[0].cells;
    const half = Math.SQRT2;
    expect(loss).toEqual({ best: 3, last: 3, at: 6, deviation: { best: half, last: half, at: 2 * half } });
    expect(gradientNorm).toEqual({ best: null, last: 1, at: 1, deviation: { best: 0, last: 0, at: 0 } });
    expect(differences).toEqual([{ setting: "seed", values: ["0", "1"] }]);
  });

  test("the detail of an entry has its settings, its results and its files", async () => {
    const detail = await client.json<EntryDetail>("/api/entry?id=runs/a");
    expect(detail.settings).toContainEqual(["stick", "0.25"]);
    expect(detail.metrics).toEqual(["tv", "kl", "expectedReward", "logZError", "loss", "gradientNorm"]);
    expect(detail.results[0]).toEqual({
      ...{ label: "total variation", source: "exact", reached: 0.25, limit: 0.01, uniform: 0.5 },
    });
    expect(detail.files).toEqual(["config.json", "metrics.jsonl", "samples.csv"]);
    expect(detail.description[0]).toContain("hypergrid with stick 0.25");
    const backtest = await client.json<EntryDetail>("/api/entry?id=backtests/b");
    expect(backtest.results).toEqual([
      { label: "MAE", model: "Naive", source: "sampled", reached: 1.5, limit: null, uniform: null },
    ]);
  });

  test("a report of entries is a file to download, with their data inside", async () => {
    const entries = JSON.stringify(["runs/a", "runs/b", "comparisons/c", "runs/deleted"]);
    const state = "#/compare?e=runs%2Fa&x=seconds&at=2";
    const address = `/api/report?${new URLSearchParams({ entries, state })}`;
    const { status, headers, text } = await client.get(address);
    expect([status, headers["content-type"], headers["content-disposition"]]).toEqual([
      ...[200, "application/octet-stream", 'attachment; filename="report.html"'],
    ]);
    const report = unpackReport(/id="report-data">(.*?)<\/script>/s.exec(text)?.[1] ?? "");
    expect(report).toMatchObject({
      ...{ state, compared: ["runs/a", "runs/b", "comparisons/c#kl_stick=0.25_seed=0.jsonl"] },
      list: { version: "1.2.3", allowsTraining: false },
    });
    const [group] = report.table.rows;
    expect(group.cells.tv).toMatchObject({ last: 0.1875, at: 0.625 });
    const none = await client.get(`/api/report?entries=${encodeURIComponent('["../secret"]')}`);
    expect([none.status, errorOf(none)]).toEqual([404, "there is no entry to report about"]);
    expect((await client.get("/api/report?entries=1")).status).toBe(400);
  });

  test("a run with a name in HTML is an ordinary entry", async () => {
    const id = "runs/<script>alert(1)";
    const detail = await client.json<EntryDetail>(`/api/entry?id=${encodeURIComponent(id)}`);
    expect(detail.entry).toMatchObject({ id, name: "<script>alert(1)" });
    expect((await client.get(`/api/entry?id=${encodeURIComponent(id)}`)).headers["content-type"]).toContain(
      "application/json",
    );
  });
});

describe("wrong requests get one clear sentence", () => {
  const request = { entries: ["runs/a"], metric: "loss", x: "iteration", columns: 10 };
  test.each([
    [{ ...request, entries: "runs/a" }, 'entries must be a list, got "runs/a"'],
    [{ ...request, entries: [1] }, "entries must be texts, got 1"],
    [{ ...request, metric: "nothing" }, 'there is no metric "nothing"'],
    [{ ...request, metric: "__proto__" }, 'there is no metric "__proto__"'],
    [{ ...request, x: "y" }, 'x must be one of iteration, calls, seconds, got "y"'],
    [{ ...request, columns: 0 }, "columns must be a whole number from 1 to 20000, got 0"],
    [{ ...request, columns: 1e9 }, "columns must be a whole number from 1 to 20000, got 1000000000"],
    [{ ...request, from: "1" }, 'from must be a number, got "1"'],
    [[1], "the body must be an object, got [1]"],
    ["{", 'the body must be JSON, got "{"'],
  ])("%j", async (body, message) => {
    const answer = await client.post("/api/series", body);
    expect([answer.status, errorOf(answer)]).toEqual([400, message]);
  });

  test("about views, paths, types and sizes", async () => {
    const view = await client.get("/api/view?id=runs/a&view=nothing");
    expect([view.status, errorOf(view)]).toEqual([400, expect.stringContaining("view must be one of")]);
    const options = encodeURIComponent('{"path":"x"}');
    const wrong = await client.get(`/api/view?id=runs/a&view=flow&options=${options}`);
    expect([wrong.status, errorOf(wrong)]).toEqual([400, 'the option "path" cannot be "x"']);
    expect(errorOf(await client.get("/api/nothing"))).toBe('there is nothing at "/api/nothing"');
    const type = await client.post("/api/series", {}, { "content-type": "text/plain" });
    expect([type.status, errorOf(type)]).toEqual([415, "the body of a request must be application/json"]);
    const large = await client.post("/api/series", { entries: ["x".repeat(2 ** 20)] });
    expect([large.status, errorOf(large)]).toEqual([
      413,
      "the body of a request must have at most 1048576 bytes",
    ]);
    const many = encodeURIComponent(JSON.stringify(Array.from({ length: 201 }, (_, i) => String(i))));
    expect(errorOf(await client.get(`/api/stream?entries=${many}`))).toBe(
      "entries must have at most 200 items, got 201",
    );
    expect(
      (await send(dashboard.port, "/api/runs", { method: "DELETE", headers: { cookie: client.cookie } }))
        .status,
    ).toBe(405);
  });

  test("a dashboard that only shows refuses to train, stop and resume", async () => {
    for (const path of ["/api/train", "/api/stop", "/api/resume"]) {
      const answer = await client.post(path, { id: "runs/a", settings: {} });
      expect([answer.status, errorOf(answer)]).toEqual([
        ...[403, "this dashboard only shows; start it with --allow-train to train"],
      ]);
    }
  });
});

describe("the server", () => {
  test("reports a port that is in use, and takes another one if none was asked for", async () => {
    const other: Server = createServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as { port: number };
    await expect(startDashboard({ folder: folder.root, version: "", port })).rejects.toThrow(
      `port: ${port} is in use; choose another one, or leave it out`,
    );
    other.close();
    const both = [
      await startDashboard({ folder: folder.root, version: "" }),
      await startDashboard({ folder: folder.root, version: "" }),
    ];
    expect(both[0].port).not.toBe(both[1].port);
    // The cookie of one is not valid for the other.
    const first = await clientOf(both[0].url);
    expect((await first.get("/api/runs")).status).toBe(200);
    expect((await send(both[1].port, "/api/runs", { headers: { cookie: first.cookie } })).status).toBe(401);
    await Promise.all(both.map((each) => each.close()));
  });

  test("answers while hundreds of connections are idle", async () => {
    const sockets = Array.from({ length: 300 }, () => createConnection(dashboard.port, "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => {});
    await Promise.all(sockets.map((socket) => new Promise((done) => socket.once("connect", done))));
    expect((await client.get("/api/runs")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test("shows a folder that does not exist as empty", async () => {
    const empty = await startDashboard({ folder: folder.at("missing"), version: "", port: 0 });
    const list = await (await clientOf(empty.url)).json<EntryList>("/api/runs");
    await empty.close();
    expect(list.entries).toEqual([]);
  });
});
