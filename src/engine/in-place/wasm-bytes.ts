// Bytes of WebAssembly modules: just what functions over float vectors need.

/** Instructions, as bytes. */
export type Code = readonly number[];

/** Types of values. */
export const TYPE = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;

/** A function with locals. Parameters are the first locals. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: readonly number[];
  readonly results: readonly number[];
  /** Types of the locals after the parameters. */
  readonly locals: readonly number[];
  readonly body: Code;
}

const SIMD = 0xfd;
const simd = (code: number): Code => [SIMD, ...unsigned(code)];

/** Instructions without an operand, or with an index, an offset in bytes or a constant. */
export const op = {
  get: (local: number): Code => [0x20, ...unsigned(local)],
  set: (local: number): Code => [0x21, ...unsigned(local)],
  i32Const: (value: number): Code => [0x41, ...signed(value)],
  i32Add: [0x6a] as Code,
  i32LessUnsigned: [0x49] as Code,
  f32Const: (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)],
  f64Add: [0xa0] as Code,
  load: (offset = 0): Code => [...simd(0x00), 4, ...unsigned(offset)],
  store: [...simd(0x0b), 4, 0] as Code,
  splat: simd(0x13),
  /** The last two numbers of one vector and the first two of another. */
  lastTwo: [...simd(0x0d), ...Array.from({ length: 16 }, (_, i) => (i + 8) % 16)] as Code,
  /** The first two numbers of float32 as two of float64. */
  toF64: simd(0x5f),
  f64AddPairs: simd(0xf0),
  f64Lane: (lane: number): Code => [...simd(0x21), lane],
  greater: simd(0x44),
  and: simd(0x4e),
  abs: simd(0xe0),
  sqrt: simd(0xe3),
  add: simd(0xe4),
  subtract: simd(0xe5),
  multiply: simd(0xe6),
  divide: simd(0xe7),
};

/** Repeats the body while the condition, which it leaves on the stack, is not 0. */
export function loop(body: Code): Code {
  return [0x03, 0x40, ...body, 0x0d, 0, 0x0b];
}

/** A module that imports `env.memory` and exports these functions. */
export function moduleBytes(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters, results }) => [0x60, ...vector(parameters), ...vector(results)]);
  const memory = [...text("env"), ...text("memory"), 0x02, 0x00, ...unsigned(0)];
  const exports = functions.map(({ name }, i) => [...text(name), 0x00, ...unsigned(i)]);
  const bodies = functions.map(({ locals, body }) => {
    const declared = locals.map((type) => [1, type]);
    const code = [...list(declared), ...body, 0x0b];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic number and version
    ...section(1, list(types)),
    ...section(2, list([memory])),
    ...section(3, vector(functions.map((_, i) => i))),
    ...section(7, list(exports)),
    ...section(10, list(bodies)),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function vector(bytes: Code): Code {
  return [...unsigned(bytes.length), ...bytes];
}

function text(value: string): Code {
  return vector([...new TextEncoder().encode(value)]);
}

/** LEB128 of a number that is not negative. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Signed LEB128. */
function signed(value: number): Code {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = (rest === 0 && !(low & 0x40)) || (rest === -1 && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
