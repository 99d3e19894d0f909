// The body of the thread that computes views: receives one request at a time, and answers it.

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { leaveWarningToParent } from "../engine/choose-engine.ts";
import { showNativeCalls } from "../engine/native-calls.ts";
import { explainProblem } from "../views/problem-text.ts";
import type { ViewData, ViewName, ViewOptions } from "../views/view-data.ts";
import { viewData } from "../views/views.ts";

export interface ViewRequest {
  readonly folder: string;
  readonly view: ViewName;
  readonly options: ViewOptions;
}

export type ViewReply = { readonly data: ViewData } | { readonly problem: string };

function serve(port: MessagePort): void {
  port.on("message", async ({ folder, view, options }: ViewRequest) => {
    const reply: ViewReply = await viewData(folder, view, options).then(
      (data) => ({ data }),
      (error: unknown) => ({ problem: explainProblem(error) }),
    );
    port.postMessage(reply);
  });
}

if (parentPort) {
  showNativeCalls(workerData);
  leaveWarningToParent();
  serve(parentPort);
}
