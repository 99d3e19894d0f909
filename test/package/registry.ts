// A registry on loopback that has our tarballs, and sends requests for all other packages to the real one.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { readTarball } from "../../scripts/release/tarball.ts";
import { run } from "./run.ts";

export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves these tarballs as if they had been published. */
export async function serveTarballs(files: readonly string[]): Promise<Registry> {
  const upstream = (await run("npm", ["config", "get", "registry"], ".")).stdout.trim().replace(/\/$/, "");
  const published = files.map((file) => {
    const manifest = readTarball(file).find(({ path }) => path === "package.json")!;
    return {
      file: basename(file),
      bytes: readFileSync(file),
      manifest: JSON.parse(manifest.bytes.toString()),
    };
  });
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const tarball = published.find(({ file }) => path === `tarballs/${file}`);
    if (tarball) return response.end(tarball.bytes);
    const found = published.find(({ manifest }) => path === manifest.name);
    if (found) return response.end(JSON.stringify(packument(found)));
    // A package of ours that is not served is not published.
    if (path === "gflownet" || path.startsWith("@gflownet/")) return response.writeHead(404).end("{}");
    return response.writeHead(307, { location: `${upstream}${request.url}` }).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function packument({ file, bytes, manifest }: (typeof published)[number]) {
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const dist = { tarball: `${url}/tarballs/${file}`, integrity };
    const { name, version } = manifest;
    return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }

  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { url, close };
}
