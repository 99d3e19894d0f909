// compile(f, example): traces an array function, simplifies its graph and builds a Program that an engine runs.

import { numpy as np } from "@jax-js/jax";
import { CheckedExecutable } from "./checked-executable.ts";
import { chooseEngine } from "./choose-engine.ts";
import { type ArraySpec, describeSpec, sizeOf, spec, type TypedArray } from "./dtype.ts";
import type { EngineName } from "./engine-name.ts";
import { EngineError, NonFiniteError, TraceError } from "./errors.ts";
import type { Executable, ProgramSource } from "./executable.ts";
import { type ParameterUpdate, updateState, withTracedUpdates } from "./in-place/parameter-update.ts";
import type { Graph } from "./ir.ts";
import { buildJax } from "./jax.ts";
import { checkInputMemory, checkMemory } from "./memory-check.ts";
import { printGraph } from "./print.ts";
import { simplify } from "./simplify.ts";
import { type ArrayFunction, checkSpecs, type Specs, trace } from "./trace.ts";

/** Options of `compile`. */
export interface CompileOptions<S extends string = string, O extends string = string> {
  /** Name in errors and printed graphs. Default: the name of the function. */
  readonly name?: string;
  /** Default: in Node `native` if its library loads, in a browser `web` if a runtime was provided; else `jax`. */
  readonly engine?: EngineName;
  /**
   * Threads of the engines `native` and `web`. Default: 1 for `native`, where two threads are faster only for wide networks on an idle
   * machine. The engine `web` has one thread unless the page is cross-origin isolated, and there by default half of the logical processors,
   * from 1 to 4.
   */
  readonly threads?: number;
  /** Names of inputs that the function also returns. The program keeps their values from call to call. */
  readonly state?: readonly S[];
  /**
   * Outputs that must be finite. If one of these outputs is not finite, a call throws a NonFiniteError and keeps the
   * previous state.
   */
  readonly finite?: readonly O[];
  /**
   * Optimiser steps after each call whose `finite` outputs are finite, on gradients that the function returns. Their state is
   * part of the program's state, and need not be named in `state`. The native engine makes them in place.
   */
  readonly updates?: readonly ParameterUpdate[];
  /** Whether a call with these outputs counts. If not, it returns them all the same, but the state stays as it was, and `finite` is
   * not checked. Default: every call counts. */
  readonly accept?: (outputs: Readonly<Record<NoInfer<O>, TypedArray>>) => boolean;
}

/** A compiled function. Await each call before the next. */
export interface Program<I extends string = string, O extends string = string, S extends string = never> {
  readonly name: string;
  readonly engine: EngineName;
  /** The simplified graph. `String(program)` prints it. */
  readonly graph: Graph;
  readonly inputs: Readonly<Record<I, ArraySpec>>;
  readonly outputs: Readonly<Record<O, ArraySpec>>;
  /**
   * Seconds spent on tracing and building. The jax engine also compiles during the first call, which is not included.
   */
  readonly compileSeconds: number;
  /** Runs the program once: the inputs that are not state, to the outputs that are not state. */
  run(inputs: Readonly<Record<Exclude<I, S>, TypedArray>>): Promise<Record<Exclude<O, S>, TypedArray>>;
  /** Overwrites parts of the state. Floats must be finite. */
  write(state: Readonly<Partial<Record<S, TypedArray>>>): void;
  /** Copies one array of the state. */
  read(name: S): Promise<TypedArray>;
  /** Frees the program. It cannot be called afterwards. */
  dispose(): Promise<void>;
  /** The simplified graph as text. */
  toString(): string;
}

/**
 * Compiles an array function for inputs of these shapes and types. All errors in shapes, types and operations are
 * thrown here; nothing is computed until the first call.
 *
 * @example
 * ```ts
 * import { np } from "gflownet/array";
 * import { compile, spec } from "gflownet/engine";
 *
 * const program = await compile(({ x }) => ({ squares: np.multiply(x, x) }), { x: spec([3]) });
 * const { squares } = await program.run({ x: Float32Array.of(1, 2, 3) });
 * console.log(squares.join(" ")); // 1 4 9
 * await program.dispose();
 * ```
 */
export async function compile<I extends string, O extends string, S extends I & O = never>(
  f: ArrayFunction<I, O>,
  example: Readonly<Record<I, ArraySpec>>,
  options: CompileOptions<S, NoInfer<O>> = {},
): Promise<Program<I, O, S>> {
  const started = performance.now();
  const { name = f.name || "program", finite = [], threads, updates = [], accept } = options;
  if (threads !== undefined && (!Number.isInteger(threads) || threads < 1)) {
    throw new EngineError(`${name}: threads must be a whole number of at least 1, got ${threads}`);
  }
  const engine = await chooseEngine(options.engine);
  checkSpecs(name, example);
  checkInputMemory(name, example);
  const inPlace = engine === "jax" ? [] : updates;
  const whole = inPlace.length > 0 ? f : withTracedUpdates(f as unknown as ArrayFunction, updates);
  const state = [...new Set<string>([...(options.state ?? []), ...updates.flatMap(updateState)])];
  const isCheckedInGraph = (key: string, { shape }: ArraySpec) =>
    finite.includes(key as NoInfer<O>) && (state.includes(key) || sizeOf(shape) > MOST_CHECKED_ON_HOST);
  const checked = withFiniteCheck(whole as unknown as ArrayFunction, finite, isCheckedInGraph);
  const graph = simplify(trace(checked, example, name));
  checkMemory(graph);
  const outputs = outputSpecs(name, graph, example, inPlace);
  checkState(name, example, outputs, state);
  const source: ProgramSource = { name, inputs: example, graph, state, outputs, threads, updates: inPlace };
  const executable = await build(engine, source);
  const compileSeconds = (performance.now() - started) / 1000;
  const inGraph = finite.filter((key) => NON_FINITE in outputs && isCheckedInGraph(key, outputs[key]));
  const check: FiniteCheck = { all: finite, inGraph };
  const checks = { finite: check, accept: accept as Accept | undefined };
  return new CompiledProgram(source, engine, executable, checks, compileSeconds) as unknown as Program<
    I,
    O,
    S
  >;
}

/** The engines on ONNX Runtime are imported on demand: pages without them do not load them, and start-up does not wait. */
async function build(engine: EngineName, source: ProgramSource): Promise<Executable> {
  if (engine === "native") return (await import("./native.ts")).buildNative(source);
  return engine === "web" ? (await import("./web.ts")).buildWeb(source) : buildJax(source);
}

/** The outputs of the program: those of the graph, but the state and the norm of an update in place instead of its gradient. */
function outputSpecs(
  name: string,
  graph: Graph,
  inputs: Specs,
  updates: readonly ParameterUpdate[],
): Record<string, ArraySpec> {
  const outputs: Record<string, ArraySpec> = Object.fromEntries(
    graph.outputs.map(({ name: key, value: { shape, dtype } }) => [key, { shape, dtype }]),
  );
  for (const update of updates) {
    const { parameters, gradient, norm } = update;
    const [expected, got] = [inputs[parameters], outputs[gradient]];
    if (!expected || !got || describeSpec(expected) !== describeSpec(got)) {
      throw new TraceError(
        `${name}: ${gradient} must have the shape and type of ${parameters}, ${expected && describeSpec(expected)}, got ${got && describeSpec(got)}`,
      );
    }
    delete outputs[gradient];
    for (const key of updateState(update)) outputs[key] = inputs[key];
    if (norm !== undefined) outputs[norm] = spec([]);
  }
  return outputs;
}

/** The outputs that must be finite. */
interface FiniteCheck {
  readonly all: readonly string[];
  /** Those that the program itself checks, in the order of their bits. */
  readonly inGraph: readonly string[];
}

type Accept = (outputs: Readonly<Record<string, TypedArray>>) => boolean;

/** Outputs of up to this many elements, which every call copies to the host, are checked there. */
const MOST_CHECKED_ON_HOST = 64;

/** Name of the extra int32 output with one bit per output that the program checks: 1 if that output is not finite. */
const NON_FINITE = "nonFinite";

/** Maximum number of checked outputs: an int32 has 31 bits besides its sign. */
const MAX_CHECKED = 31;

/** Adds the output NON_FINITE to a function, so that one scalar shows whether all outputs that are checked in the graph are
 * finite. */
function withFiniteCheck(
  f: ArrayFunction,
  finite: readonly string[],
  isCheckedInGraph: (name: string, value: ArraySpec) => boolean,
): ArrayFunction {
  if (finite.length === 0) return f;
  if (finite.length > MAX_CHECKED)
    throw new TraceError(`finite must name at most ${MAX_CHECKED} outputs, got ${finite.length}`);
  return (inputs) => {
    const outputs = f(inputs);
    if (NON_FINITE in outputs)
      throw new TraceError(`the output name ${NON_FINITE} is reserved; rename that output`);
    const missing = finite.find((name) => outputs[name] === undefined);
    if (missing !== undefined) throw new TraceError(`finite names ${missing}, which is not an output`);
    const flags = finite
      .filter((name) => isCheckedInGraph(name, outputs[name] as unknown as ArraySpec))
      .map((name, i) => {
        const value = outputs[name];
        if (value.dtype !== np.float32) return np.array(0, { dtype: np.int32 }); // [], because integers are always finite
        const magnitude = np.maximum(value, np.negative(value));
        const isBad = np.logicalNot(np.less(magnitude, Number.POSITIVE_INFINITY));
        return np.max(isBad.astype(np.int32)).mul(2 ** i); // []
      });
    if (flags.length === 0) return outputs;
    return { ...outputs, [NON_FINITE]: flags.reduce((sum, flag) => sum.add(flag)) };
  };
}

function checkState(name: string, inputs: Specs, outputs: Specs, state: readonly string[]): void {
  for (const key of state) {
    const [before, after] = [inputs[key], outputs[key]];
    if (!before || !after) throw new TraceError(`${name}: state ${key} must be both an input and an output`);
    if (describeSpec(before) !== describeSpec(after)) {
      throw new TraceError(
        `${name}: state ${key} must keep its shape and type, got ${describeSpec(before)} as input and ${describeSpec(after)} as output`,
      );
    }
  }
}

class CompiledProgram {
  readonly name: string;
  readonly engine: EngineName;
  readonly graph: Graph;
  readonly inputs: Specs;
  readonly outputs: Specs;
  readonly compileSeconds: number;
  readonly #executable: CheckedExecutable;
  readonly #finite: FiniteCheck;
  readonly #accept: Accept | undefined;
  #calls = 0;

  constructor(
    source: ProgramSource,
    engine: EngineName,
    executable: Executable,
    { finite, accept }: { readonly finite: FiniteCheck; readonly accept: Accept | undefined },
    compileSeconds: number,
  ) {
    this.name = source.name;
    this.engine = engine;
    this.graph = source.graph;
    this.inputs = source.inputs;
    this.outputs = Object.fromEntries(
      Object.entries(source.outputs).filter(([key]) => key !== NON_FINITE || finite.inGraph.length === 0),
    );
    this.compileSeconds = compileSeconds;
    this.#executable = new CheckedExecutable(source, executable);
    this.#finite = finite;
    this.#accept = accept;
  }

  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>> {
    return this.#executable.run(inputs, (outputs) => {
      this.#calls++;
      const { all, inGraph } = this.#finite;
      const flags = inGraph.length > 0 ? outputs[NON_FINITE][0] : 0;
      if (inGraph.length > 0) delete outputs[NON_FINITE];
      if (this.#accept && !this.#accept(outputs)) return false;
      const nonFinite = all.filter((key) =>
        inGraph.includes(key)
          ? flags & (1 << inGraph.indexOf(key))
          : outputs[key].some((x) => !Number.isFinite(x)),
      );
      if (nonFinite.length > 0) throw new NonFiniteError(this.name, nonFinite, this.#calls);
      return true;
    });
  }

  write(state: Readonly<Record<string, TypedArray | undefined>>): void {
    this.#executable.write(state);
  }

  read(name: string): Promise<TypedArray> {
    return this.#executable.read(name);
  }

  dispose(): Promise<void> {
    return this.#executable.dispose();
  }

  toString(): string {
    return printGraph(this.graph);
  }
}
