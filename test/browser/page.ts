// The script of the page in the browser test: a short training run on the jax engine.

import { trainBriefly } from "./train-briefly.ts";

declare global {
  var training: Promise<number[]>;
}

globalThis.training = trainBriefly();
