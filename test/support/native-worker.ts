// A worker thread that trains a little on the native engine and posts what came out.

import { parentPort, workerData } from "node:worker_threads";
import { type TrainingRequest, train } from "./training.ts";

parentPort?.postMessage(await train(workerData as TrainingRequest));
