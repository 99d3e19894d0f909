// Public surface of the library. Subpaths give the parts: gflownet/engine, gflownet/nn.

export * from "./engine/index.ts";
export * as nn from "./nn/index.ts";
