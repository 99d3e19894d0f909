// A thread that answers requests for views as their options say: it computes for a time, never answers, or ends.

import { parentPort } from "node:worker_threads";

let answered = 0;
parentPort.on("message", ({ folder, options }) => {
  if (options.series === "end") process.exit(3);
  if (options.series === "forever") for (;;);
  const until = performance.now() + (options.seed ?? 0);
  while (performance.now() < until);
  answered++;
  parentPort.postMessage({ data: { view: folder, notes: [String(answered)] } });
});
