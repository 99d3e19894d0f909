// A worker thread that trains for a few iterations on the native engine and posts the result.

import { parentPort, workerData } from "node:worker_threads";
import { type TrainingRequest, train } from "./training.ts";

parentPort?.postMessage(await train(workerData as TrainingRequest));
