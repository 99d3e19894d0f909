// Starts the playground inside a notebook: in a frame of the widget, whose document has everything inside and asks for nothing.

import { effect } from "@preact/signals";
import { render } from "preact";
import { queryOf } from "../src/playground/settings.ts";
import { setAddress } from "./playground/address.ts";
import { unpackEngine } from "./playground/packed-engine.ts";
import { followPages } from "./playground/pages.ts";
import { PlaygroundPage } from "./playground/playground-page.tsx";
import { createPlayground, PlaygroundProvider } from "./playground/store.ts";
import PlaygroundWorker from "./playground/worker.ts?worker&inline";
import { followTheme } from "./theme.ts";
import "./style.css";
import "./playground/playground.css";

/** What the widget (`playground/widget.js`) sends, and what it gets. */
type FromWidget = { readonly kind: "settings"; readonly settings: string };
type ToWidget =
  | { readonly kind: "ready" }
  | { readonly kind: "settings"; readonly settings: string }
  | { readonly kind: "result"; readonly result: Readonly<Record<string, number | string | null>> };

const tell = (message: ToWidget) => parent.postMessage(message, "*");

let hash = "#/";
let changed: (() => void)[] = [];
const go = (next: string) => {
  if (next === hash) return;
  hash = next;
  for (const each of changed) each();
};
setAddress({
  read: () => hash,
  replace(next) {
    hash = next;
  },
  push(next) {
    hash = next;
  },
  listen(call) {
    changed = [...changed, call];
  },
});
// Links of this document would lead the frame to the notebook.
document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest?.('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  go(link.getAttribute("href") as string);
});

let isStarted = false;
addEventListener("message", ({ data, source }: MessageEvent<FromWidget>) => {
  if (source !== parent || data?.kind !== "settings") return;
  const next = `${hash.split("?")[0]}?${data.settings}`;
  if (isStarted) return go(next);
  isStarted = true;
  hash = next;
  start();
});
tell({ kind: "ready" });

function start(): void {
  followTheme();
  followPages();
  const playground = createPlayground({ worker: () => new PlaygroundWorker(), loadEngine: unpackEngine });
  effect(() => tell({ kind: "settings", settings: queryOf(playground.settings.value) }));
  effect(() => {
    const { iteration } = playground.progress.value;
    const last = playground.curves.value?.evaluations.at(-1);
    const limit = playground.problem.value?.limit;
    tell({
      kind: "result",
      result: {
        ...{ state: playground.state.value, iteration, tv: last?.tv ?? null, kl: last?.kl ?? null },
        ...{ limitTv: limit?.tv ?? null, limitKl: limit?.kl ?? null },
      },
    });
  });
  render(
    <PlaygroundProvider value={playground}>
      <PlaygroundPage />
    </PlaygroundProvider>,
    document.getElementById("app") as HTMLElement,
  );
}
