// compile(f, example) -> Program: an array function traced, simplified and made ready to run on an engine.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, describe, type TypedArray } from "./dtype.ts";
import { ENGINES, type EngineName } from "./engine-name.ts";
import { EngineError, InputError, NonFiniteError, TraceError } from "./errors.ts";
import type { Executable, Source } from "./executable.ts";
import { checkArray, checkFinite, checkInputs } from "./inputs.ts";
import type { Graph } from "./ir.ts";
import { buildJax } from "./jax.ts";
import { checkInputMemory, checkMemory } from "./memory.ts";
import { print } from "./print.ts";
import { simplify } from "./simplify.ts";
import { type ArrayFunction, type Specs, trace } from "./trace.ts";

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
  /** Seconds spent tracing and building. */
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

/** Loaded on demand: browsers never load it, and start-up does not wait for it. */
function nativeEngine() {
  return import("./native.ts");
}

/** Name of the extra output that says which watched outputs are not finite, one bit each. */
const NON_FINITE = "nonFinite";

/** Adds the one scalar by which a program reports a non-finite loss itself. */
function watchFinite(f: ArrayFunction, finite: readonly string[]): ArrayFunction {
  if (finite.length === 0) return f;
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
  readonly #source: Source;
  readonly #executable: Executable;
  readonly #finite: readonly string[];
  /** Inputs that every call must bring. */
  readonly #free: Specs;
  #calls = 0;
  #running = false;
  #disposed = false;

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
    this.#source = source;
    this.#executable = executable;
    this.#finite = finite;
    this.#free = Object.fromEntries(
      Object.entries(source.example).filter(([key]) => !source.state.includes(key)),
    );
  }

  async run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>> {
    this.#checkIdle();
    checkInputs(this.name, this.#free, inputs);
    this.#running = true;
    try {
      this.#calls++;
      const outputs = await this.#executable.run(inputs);
      if (this.#finite.length > 0) {
        const flags = outputs[NON_FINITE][0];
        delete outputs[NON_FINITE];
        const broken = this.#finite.filter((_, i) => flags & (1 << i));
        if (broken.length > 0) throw new NonFiniteError(this.name, broken, this.#calls);
      }
      this.#executable.advance();
      return outputs;
    } finally {
      this.#running = false;
    }
  }

  write(state: Readonly<Record<string, TypedArray | undefined>>): void {
    this.#checkIdle();
    for (const [key, data] of Object.entries(state)) {
      if (!this.#source.state.includes(key))
        throw new InputError(`${this.name}: ${key} is not part of the state`);
      checkArray(this.name, key, this.inputs[key], data);
      checkFinite(this.name, `state ${key}`, data!);
    }
    for (const [key, data] of Object.entries(state)) this.#executable.write(key, data!);
  }

  async read(name: string): Promise<TypedArray> {
    this.#checkIdle();
    if (!this.#source.state.includes(name))
      throw new InputError(`${this.name}: ${name} is not part of the state`);
    return this.#executable.read(name);
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#executable.dispose();
  }

  toString(): string {
    return print(this.graph);
  }

  #checkIdle(): void {
    if (this.#disposed) throw new InputError(`${this.name}: used after it was disposed of`);
    if (this.#running) throw new InputError(`${this.name}: used again before the previous call was awaited`);
  }
}
