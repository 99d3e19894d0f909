// Starts the playground: everything happens in this page and its worker, and nothing is sent anywhere.

import { render } from "preact";
import { loadEngine } from "./playground/engine-file.ts";
import { followPages } from "./playground/pages.ts";
import { PlaygroundPage } from "./playground/playground-page.tsx";
import { createPlayground, PlaygroundProvider } from "./playground/store.ts";
import { followTheme } from "./theme.ts";
import "./style.css";
import "./playground/playground.css";

followTheme();
followPages();
const playground = createPlayground({
  worker: () => new Worker(new URL("./playground/worker.ts", import.meta.url), { type: "module" }),
  loadEngine,
});
render(
  <PlaygroundProvider value={playground}>
    <PlaygroundPage />
  </PlaygroundProvider>,
  document.getElementById("app") as HTMLElement,
);
