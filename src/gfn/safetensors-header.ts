// The header of a safetensors file, taken as hostile: nothing it says is used before it is checked.
//
// JSON parsers resolve a name that stands twice in silence, so names are looked at in the text itself.

/** Sizes of the numbers that are read and written, in bytes. */
export const ITEM_SIZES = { F64: 8, F32: 4, I32: 4, U32: 4, U8: 1 } as const;
export type TensorType = keyof typeof ITEM_SIZES;

export const METADATA = "__metadata__";

export interface TensorPlace {
  readonly name: string;
  readonly dtype: TensorType;
  readonly shape: readonly number[];
  /** Where its bytes are, counted from the end of the header. */
  readonly begin: number;
  readonly end: number;
}

export interface Header {
  /** In the order of their bytes, which they cover without gaps. */
  readonly places: readonly TensorPlace[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Reads a header that is followed by so many bytes of data. Throws a RangeError that says what is wrong. */
export function parseHeader(bytes: Uint8Array, dataSize: number): Header {
  const header = parseObject(bytes);
  const entries = Object.entries(header);
  const metadata = Object.entries(METADATA in header ? objectOf(METADATA, header[METADATA]) : {});
  for (const [key, value] of metadata) {
    if (typeof value !== "string") throw new RangeError(`${METADATA} ${quoted(key)} is not a text`);
  }
  const places = entries
    .filter(([name]) => name !== METADATA)
    .map(([name, entry]) => placeOf(name, objectOf(name, entry)))
    // By their bytes: JSON gives its names no order.
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  checkCover(places, dataSize);
  return { places, metadata: Object.fromEntries(metadata) as Record<string, string> };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  if (bytes[0] !== "{".charCodeAt(0)) throw new RangeError("its header is not a JSON object");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RangeError("its header is not UTF-8 text");
  }
  const twice = nameGivenTwice(text);
  if (twice !== undefined) throw new RangeError(`its header names ${quoted(twice)} twice`);
  try {
    return JSON.parse(text) as Record<string, unknown>; // it begins with {
  } catch {
    throw new RangeError("its header is not JSON");
  }
}

/** Objects in the header, those in it, and lists in these. Deeper nesting is no header, and costs memory to parse. */
const DEEPEST = 3;

function nameGivenTwice(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === "{" || character === "[") {
      open.push(new Set());
      if (open.length > DEEPEST) throw new RangeError("its header is nested too deeply");
    } else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const start = i++;
      while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
      const names = open.at(-1);
      if (!names || !isBeforeColon(text, i + 1)) continue;
      const name = spelled(text.slice(start, i + 1));
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

function isBeforeColon(text: string, from: number): boolean {
  let i = from;
  while (text[i] === " " || text[i] === "\n" || text[i] === "\r" || text[i] === "\t") i++;
  return text[i] === ":";
}

/** A JSON string without its escapes. */
function spelled(string: string): string {
  try {
    return JSON.parse(string) as string;
  } catch {
    throw new RangeError("its header is not JSON");
  }
}

function objectOf(name: string, value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new RangeError(`what it says of ${quoted(name)} is not an object`);
}

function placeOf(name: string, { dtype, shape, data_offsets }: Record<string, unknown>): TensorPlace {
  if (typeof dtype !== "string") throw new RangeError(`the dtype of ${quoted(name)} is not a text`);
  if (!isTensorType(dtype)) {
    const known = Object.keys(ITEM_SIZES).join(", ");
    throw new RangeError(`the dtype of ${quoted(name)} is ${quoted(dtype)}; those read here are ${known}`);
  }
  if (!isSizes(shape)) throw new RangeError(`the shape of ${quoted(name)} is not a list of sizes`);
  if (!isSizes(data_offsets) || data_offsets.length !== 2) {
    throw new RangeError(`the data_offsets of ${quoted(name)} are not two whole numbers`);
  }
  const [begin, end] = data_offsets;
  if (begin > end)
    throw new RangeError(`the data of ${quoted(name)} ends at ${end}, before its begin ${begin}`);
  const size = shape.reduce((product, extent) => product * extent, 1) * ITEM_SIZES[dtype];
  if (size !== end - begin) {
    throw new RangeError(
      `${quoted(name)} has ${end - begin} bytes, and its shape and dtype ask for ${size} of them`,
    );
  }
  return { name, dtype, shape, begin, end };
}

function isTensorType(name: string): name is TensorType {
  return Object.hasOwn(ITEM_SIZES, name);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

/** Tensors must take up the data from its first byte to its last, each byte once. */
function checkCover(places: readonly TensorPlace[], dataSize: number): void {
  let at = 0;
  for (const { name, begin, end } of places) {
    if (end > dataSize) {
      throw new RangeError(`the data of ${quoted(name)} ends at ${end}, and there are ${dataSize} bytes`);
    }
    if (begin < at) throw new RangeError(`the data of ${quoted(name)} overlaps with another's`);
    if (begin > at)
      throw new RangeError(`${begin - at} bytes before the data of ${quoted(name)} are no one's`);
    at = end;
  }
  if (at < dataSize) throw new RangeError(`${dataSize - at} bytes are left over at its end`);
}

/** A name out of a file as errors write it: one line, and not too long. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
