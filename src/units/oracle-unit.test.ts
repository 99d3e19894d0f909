// The unit that scores a batch by the oracle of a problem file: an oracle that was given up is opened again for the next unit.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { oracleKind } from "./oracle-unit.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-oracle-unit-"));
let isDown = true;
const server = createServer(async (request, response) => {
  const { strings } = JSON.parse(await text(request)) as { readonly strings: readonly string[] };
  if (isDown) response.writeHead(404).end();
  else response.end(JSON.stringify({ answers: strings.map((string) => ({ string, score: 1 })) }));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a service that was down is asked again by later units", async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const file = join(folder, "problem.yaml");
  writeFileSync(file, `alphabet: DNA\nlength: 2\noracle: { url: "http://127.0.0.1:${port}/" }\n`);
  const context = { input: () => file, pause: new AbortController().signal };
  const run = async () => {
    const events = [];
    const settings = { strings: ["AC"], copy: 0 };
    for await (const event of oracleKind.run(settings, context as never)) events.push(event);
    return events;
  };
  for (let unit = 0; unit < 3; unit++) await expect(run()).rejects.toThrow("status 404");
  isDown = false;
  expect(await run()).toMatchObject([{ kind: "record", record: { answers: { AC: { score: 1 } } } }]);
});
