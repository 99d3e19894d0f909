// Whether the page works without a network: its files and its engine are kept by the browser.

const ENGINES = "gflownet-playground-engine";

/** Registers the service worker, which keeps the files. Resolves to whether they are kept. */
export async function keepFiles(): Promise<boolean> {
  // A page that is not on HTTPS or loopback has neither.
  if (!("serviceWorker" in navigator) || !("caches" in globalThis)) return false;
  try {
    await navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI), { scope: "./" });
    await navigator.serviceWorker.ready;
    return true;
  } catch {
    return false;
  }
}

/** The response for an engine that the browser keeps. */
export async function keptEngine(url: string): Promise<Response | undefined> {
  return "caches" in globalThis ? caches.match(url).catch(() => undefined) : undefined;
}

/** Keeps the engine. A browser that has no room for it goes without. */
export async function keepEngine(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  if (!("caches" in globalThis)) return false;
  try {
    const cache = await caches.open(ENGINES);
    const headers = { "Content-Type": "application/wasm", "Content-Length": String(bytes.length) };
    await cache.put(url, new Response(bytes.slice(), { headers }));
    return true;
  } catch {
    return false;
  }
}
