// The script of the page in the browser tests: short trainings on the engines of a browser.

import { provideWebRuntime } from "../../src/engine/index.ts";
import { startDevice } from "../../src/engine/jax-device.ts";
import { type BriefTraining, trainBriefly } from "./train-briefly.ts";

declare global {
  var training: (options: BriefTraining) => Promise<number[]>;
  /** The device of the jax engine. */
  var device: () => Promise<string>;
}

globalThis.training = async (options) => {
  if (options.engine === "web") {
    // Imported on demand, so that the threads of the runtime load a file that does not have this script.
    provideWebRuntime(await import("onnxruntime-web/wasm"));
  }
  return trainBriefly(options);
};

globalThis.device = startDevice;
