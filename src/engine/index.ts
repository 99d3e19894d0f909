// Compiles array functions into programs, and runs them on ONNX Runtime or jax-js.

export { chooseEngine, nativeProblem } from "./choose-engine.ts";
export { type ArraySpec, type DType, describeSpec, spec, type TypedArray } from "./dtype.ts";
export { ENGINES, type EngineName } from "./engine-name.ts";
export * from "./errors.ts";
export { type ParameterUpdate, withTracedUpdates } from "./in-place/parameter-update.ts";
export { interpret, type Precision } from "./interpret.ts";
export type { Graph, Node, OpName, Value } from "./ir.ts";
export { printGraph } from "./print.ts";
export { type CompileOptions, compile, type Program } from "./program.ts";
export { type RandomState, RandomStream } from "./random-stream.ts";
export { simplify } from "./simplify.ts";
export { threadIssues } from "./threads.ts";
export { type ArrayFunction, type Specs, trace } from "./trace.ts";
export { provideWebRuntime, type WebRuntime } from "./web-runtime.ts";
