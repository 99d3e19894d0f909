// Public API of the library. Its parts can be imported separately: gflownet/engine, gflownet/nn, gflownet/gfn,
// gflownet/tasks, gflownet/baselines.

export * from "./baselines/index.ts";
export * as array from "./engine/array.ts";
export * from "./engine/index.ts";
export * from "./gfn/index.ts";
export * as nn from "./nn/index.ts";
export * from "./tasks/index.ts";
