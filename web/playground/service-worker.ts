// Keeps the files of the playground, so that it works without a network. The build puts in the names of the files.
//
// The engine is large. It is not fetched here, but kept by the page that has loaded it (`engine-file.ts`).

/** Paths of all files below the folder of the page, and a text that changes with their contents. */
declare const __FILES__: readonly string[];
declare const __VERSION__: string;

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
const scope = self as unknown as {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(kind: "install" | "activate", listen: (event: ExtendableEvent) => void): void;
  addEventListener(kind: "fetch", listen: (event: FetchEvent) => void): void;
};

const PREFIX = "gflownet-playground-";
const CACHE = `${PREFIX}${__VERSION__}`;
const ENGINES = `${PREFIX}engine`;

const addressOf = (file: string) => new URL(file, scope.registration.scope).href;

scope.addEventListener("install", (event) => {
  const files = __FILES__.filter((file) => !file.endsWith(".wasm"));
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(files.map(addressOf)))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(removeOld().then(() => scope.clients.claim()));
});

/** Removes the files of other versions. */
async function removeOld(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE && name !== ENGINES) await caches.delete(name);
  }
  const known = new Set(__FILES__.map(addressOf));
  const engines = await caches.open(ENGINES);
  for (const request of await engines.keys()) if (!known.has(request.url)) await engines.delete(request);
}

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== new URL(scope.registration.scope).origin) return;
  // The settings in the address belong to the page, not to its file.
  const asked = `${origin}${pathname}`;
  const address = asked === scope.registration.scope ? addressOf("index.html") : asked;
  event.respondWith(caches.match(address).then((kept) => kept ?? fetch(request)));
});
