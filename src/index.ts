// Public surface of the library. Subpaths give the parts: gflownet/engine, gflownet/nn.

export * as array from "./engine/array.ts";
export * from "./engine/index.ts";
export * as nn from "./nn/index.ts";
