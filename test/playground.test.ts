// Tests `gflownet playground` as a user starts it: the address, the files and their headers, Ctrl-C, and a copy for a web host.

import { existsSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { buildCommandLine } from "./support/command-line.ts";
import { send } from "./support/dashboard-client.ts";

const cli = buildCommandLine();
afterAll(() => cli.remove());

test("the printed address has the page and nothing beside it, and Ctrl-C ends the server", async () => {
  const command = cli.start("playground", "--json", "--port", "0");
  let text = "";
  command.child.stdout?.on("data", (part: string) => {
    text += part;
  });
  await command.printed(/\n/);
  const { url, port } = JSON.parse(text);
  expect(url).toBe(`http://127.0.0.1:${port}/`);
  const page = await send(port, "/");
  expect(page.status).toBe(200);
  expect(page.text).toContain("<title>gflownet playground</title>");
  expect(page.headers["content-security-policy"]).toContain("script-src 'self' 'wasm-unsafe-eval';");
  expect(page.headers["cross-origin-opener-policy"]).toBe("same-origin");
  const [, script] = /src="\.(\/assets\/[\w.-]+\.js)"/.exec(page.text) ?? [];
  expect(await send(port, script)).toMatchObject({
    status: 200,
    headers: { "content-type": "text/javascript; charset=utf-8" },
  });
  for (const path of ["/../package.json", "/%2e%2e/report.html", "/assets/", "/missing"]) {
    expect((await send(port, path)).status).toBe(404);
  }
  expect((await send(port, "/", { method: "POST" })).status).toBe(404);
  command.child.kill("SIGINT");
  expect(await command.ended).toMatchObject({ status: 0, stderr: "" });
});

test("--out copies the page once", () => {
  expect(cli.gflownet("playground", "--out", "page")).toMatchObject({
    status: 0,
    stdout: "The playground is in page; put the folder on any web host.\n",
  });
  expect(readFileSync(cli.at("page/index.html"), "utf8")).toContain("gflownet playground");
  expect(existsSync(cli.at("page/assets"))).toBe(true);
  expect(cli.gflownet("playground", "--out", "page")).toMatchObject({
    status: 2,
    stderr: "gflownet: --out: has files of a playground already, got page; choose a new folder\n",
  });
});
