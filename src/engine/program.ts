// compile(f, example) -> Program: an array function traced, simplified and made ready to run on an engine.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, describe, type TypedArray } from "./dtype.ts";
import { ENGINES, type EngineName } from "./engine-name.ts";
import { EngineError, NonFiniteError, TraceError } from "./errors.ts";
import type { Executable, Source } from "./executable.ts";
import { GuardedExecutable } from "./guarded.ts";
import type { Graph } from "./ir.ts";
import { buildJax } from "./jax.ts";
import { checkInputMemory, checkMemory } from "./memory.ts";
import { print } from "./print.ts";
import { simplify } from "./simplify.ts";
import { type ArrayFunction, checkSpecs, type Specs, trace } from "./trace.ts";

export interface CompileOptions<S extends string = string, O extends string = string> {
  /** Name used in errors and listings; the function's own by default. */
  readonly name?: string;
  /** `native` where its library loads, else `jax`. */
  readonly engine?: EngineName;
  /** Threads of the native engine. Two pay off only for wide networks. */
  readonly threads?: number;
  /** Inputs that the function also returns: they stay inside the program from call to call. */
  readonly state?: readonly S[];
  /** Outputs that must be finite; a call whose loss is not throws and leaves the state as it was. */
  readonly finite?: readonly O[];
}

/** A compiled function. Calls must be awaited one after the other. */
export interface Program<I extends string = string, O extends string = string, S extends string = never> {
  readonly name: string;
  readonly engine: EngineName;
  /** What runs, after simplification. `String(program)` lists it. */
  readonly graph: Graph;
  readonly inputs: Readonly<Record<I, ArraySpec>>;
  readonly outputs: Readonly<Record<O, ArraySpec>>;
  /** Seconds spent tracing and building; the jax engine also builds during the first call. */
  readonly compileSeconds: number;
  run(inputs: Readonly<Record<Exclude<I, S>, TypedArray>>): Promise<Record<Exclude<O, S>, TypedArray>>;
  /** Sets state. Floats must be finite. */
  write(state: Readonly<Partial<Record<S, TypedArray>>>): void;
  /** A copy of one part of the state. */
  read(name: S): Promise<TypedArray>;
  dispose(): Promise<void>;
  toString(): string;
}

/**
 * Compiles an array function for inputs of the given shapes. Nothing is computed yet, and everything that can be
 * wrong with shapes, types or operations is reported here.
 */
export async function compile<I extends string, O extends string, S extends I & O = never>(
  f: ArrayFunction<I, O>,
  example: Readonly<Record<I, ArraySpec>>,
  options: CompileOptions<S, NoInfer<O>> = {},
): Promise<Program<I, O, S>> {
  const started = performance.now();
  const { name = f.name || "program", state = [], finite = [], threads = 1 } = options;
  if (!Number.isInteger(threads) || threads < 1) {
    throw new EngineError(`${name}: threads must be a whole number of at least 1, got ${threads}`);
  }
  const engine = await chooseEngine(options.engine);
  if (options.engine === undefined && engine === "jax") await warnOfFallback();
  checkSpecs(name, example);
  checkInputMemory(name, example);
  const watched = watchFinite(f as unknown as ArrayFunction, finite);
  const graph = simplify(trace(watched, example, name));
  checkMemory(graph);
  const outputs = Object.fromEntries(
    graph.outputs.map(({ name: key, value: { shape, dtype } }) => [key, { shape, dtype }]),
  );
  checkState(name, example, outputs, state);
  const source: Source = { name, example, graph, state, outputs, threads };
  const executable =
    engine === "native" ? await (await nativeEngine()).buildNative(source) : await buildJax(source);
  const compileSeconds = (performance.now() - started) / 1000;
  return new CompiledProgram(source, engine, executable, finite, compileSeconds) as unknown as Program<
    I,
    O,
    S
  >;
}

/** The engine to use; asks for `native` first unless told. Unknown names are errors. */
export async function chooseEngine(name?: string): Promise<EngineName> {
  if (name === undefined) return (await nativeProblem()) === undefined ? "native" : "jax";
  if (name === "native") {
    const problem = await nativeProblem();
    if (problem !== undefined) throw new EngineError(problem);
    return "native";
  }
  if (name === "jax") return "jax";
  throw new EngineError(`Unknown engine ${JSON.stringify(name)}; engines are: ${ENGINES.join(", ")}.`);
}

/** Why the native engine cannot run here, in one sentence, or undefined if it can. */
export async function nativeProblem(): Promise<string | undefined> {
  if (typeof process !== "object" || !process.versions?.node) return "The native engine runs in Node only.";
  try {
    await (await nativeEngine()).loadRuntime();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

let warned = false;

/** Says once per process, as Node says such things, that programs run on the slower engine. */
async function warnOfFallback(): Promise<void> {
  if (warned || typeof process !== "object" || !process.versions?.node) return;
  warned = true;
  process.emitWarning(`${await nativeProblem()} Programs run on the slower jax engine.`);
}

/** Loaded on demand: browsers never load it, and start-up does not wait for it. */
function nativeEngine() {
  return import("./native.ts");
}

/** Name of the extra output that says which watched outputs are not finite, one bit each. */
const NON_FINITE = "nonFinite";

/** One bit of an int32 each. */
const MOST_WATCHED = 31;

/** Adds the one scalar by which a program reports a non-finite loss itself. */
function watchFinite(f: ArrayFunction, finite: readonly string[]): ArrayFunction {
  if (finite.length === 0) return f;
  if (finite.length > MOST_WATCHED)
    throw new TraceError(`finite names ${finite.length} outputs; ${MOST_WATCHED} at most`);
  return (inputs) => {
    const outputs = f(inputs);
    if (NON_FINITE in outputs) throw new TraceError(`an output may not be called ${NON_FINITE}`);
    const flags = finite.map((name, i) => {
      const value = outputs[name];
      if (value === undefined) throw new TraceError(`finite names ${name}, which is not an output`);
      if (value.dtype !== np.float32) return np.array(0, { dtype: np.int32 }); // [], whole numbers are finite
      const magnitude = np.maximum(value, np.negative(value));
      const broken = np.logicalNot(np.less(magnitude, Number.POSITIVE_INFINITY));
      return np.max(broken.astype(np.int32)).mul(2 ** i); // []
    });
    return { ...outputs, [NON_FINITE]: flags.reduce((sum, flag) => sum.add(flag)) };
  };
}

function checkState(name: string, inputs: Specs, outputs: Specs, state: readonly string[]): void {
  for (const key of state) {
    const [before, after] = [inputs[key], outputs[key]];
    if (!before || !after) throw new TraceError(`${name}: state ${key} must be both an input and an output`);
    if (describe(before) !== describe(after)) {
      throw new TraceError(
        `${name}: state ${key} goes in as ${describe(before)} but comes out as ${describe(after)}`,
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
  readonly #guarded: GuardedExecutable;
  readonly #finite: readonly string[];
  #calls = 0;

  constructor(
    source: Source,
    engine: EngineName,
    executable: Executable,
    finite: readonly string[],
    compileSeconds: number,
  ) {
    this.name = source.name;
    this.engine = engine;
    this.graph = source.graph;
    this.inputs = source.example;
    this.outputs = Object.fromEntries(
      Object.entries(source.outputs).filter(([key]) => key !== NON_FINITE || finite.length === 0),
    );
    this.compileSeconds = compileSeconds;
    this.#guarded = new GuardedExecutable(source, executable);
    this.#finite = finite;
  }

  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>> {
    return this.#guarded.run(inputs, (outputs) => {
      this.#calls++;
      if (this.#finite.length === 0) return;
      const flags = outputs[NON_FINITE][0];
      delete outputs[NON_FINITE];
      const broken = this.#finite.filter((_, i) => flags & (1 << i));
      if (broken.length > 0) throw new NonFiniteError(this.name, broken, this.#calls);
    });
  }

  write(state: Readonly<Record<string, TypedArray | undefined>>): void {
    this.#guarded.write(state);
  }

  read(name: string): Promise<TypedArray> {
    return this.#guarded.read(name);
  }

  dispose(): Promise<void> {
    return this.#guarded.dispose();
  }

  toString(): string {
    return print(this.graph);
  }
}
