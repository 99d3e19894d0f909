// Entry point of the child process of one experiment of `gflownet compare`.

import { serveExperiment } from "../compare/experiment-worker.ts";
import { explain } from "./report-error.ts";

serveExperiment(explain);
