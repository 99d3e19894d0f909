// Parses and validates the header of a safetensors file, which may come from an untrusted source.
//
// JSON.parse silently accepts duplicate names, so a scan of the text detects them.

/** Supported data types with the size of a number in bytes. */
export const DTYPE_SIZES = { F64: 8, F32: 4, I32: 4, U32: 4, U8: 1 } as const;
export type TensorDtype = keyof typeof DTYPE_SIZES;

export const METADATA_KEY = "__metadata__";

export interface TensorEntry {
  readonly name: string;
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  /** Position of the first byte of the tensor's data, counted from the end of the header. */
  readonly begin: number;
  /** Position after the last byte of the tensor's data. */
  readonly end: number;
}

export interface SafetensorsHeader {
  /** The tensors in the order of their data, which they cover without gaps. */
  readonly entries: readonly TensorEntry[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Parses a header that is followed by `dataSize` bytes of data. Throws a RangeError if it is not valid. */
export function parseHeader(bytes: Uint8Array, dataSize: number): SafetensorsHeader {
  const header = parseObject(bytes);
  const metadata = Object.entries(METADATA_KEY in header ? objectOf(METADATA_KEY, header[METADATA_KEY]) : {});
  for (const [key, value] of metadata) {
    if (typeof value !== "string") throw new RangeError(`${METADATA_KEY} ${quoted(key)} is not a string`);
  }
  const entries = Object.entries(header)
    .filter(([name]) => name !== METADATA_KEY)
    .map(([name, entry]) => entryOf(name, objectOf(name, entry)))
    // The names of a JSON object have no order, so tensors are sorted by position.
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  checkCover(entries, dataSize);
  return { entries, metadata: Object.fromEntries(metadata) as Record<string, string> };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  if (bytes[0] !== "{".charCodeAt(0)) throw new RangeError("its header is not a JSON object");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RangeError("its header is not UTF-8 text");
  }
  const duplicate = duplicateName(text);
  if (duplicate !== undefined)
    throw new RangeError(`its header contains the name ${quoted(duplicate)} twice`);
  try {
    return JSON.parse(text) as Record<string, unknown>; // this is an object, because the text starts with {
  } catch {
    throw new RangeError("its header is not JSON");
  }
}

/**
 * Largest nesting depth of a valid header: the header, the entry of a tensor, its shape. Deeper nesting is rejected,
 * because parsing it would cost memory.
 */
const MAX_DEPTH = 3;

function duplicateName(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === "{" || character === "[") {
      open.push(new Set());
      if (open.length > MAX_DEPTH) throw new RangeError("its header is nested too deeply");
    } else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const start = i++;
      while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
      const names = open.at(-1);
      if (!names || !isBeforeColon(text, i + 1)) continue;
      const name = parseString(text.slice(start, i + 1));
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

/** Parses a JSON string, which resolves its escapes. */
function parseString(string: string): string {
  try {
    return JSON.parse(string) as string;
  } catch {
    throw new RangeError("its header is not JSON");
  }
}

function objectOf(name: string, value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new RangeError(`the entry of ${quoted(name)} is not an object`);
}

function entryOf(name: string, { dtype, shape, data_offsets }: Record<string, unknown>): TensorEntry {
  if (typeof dtype !== "string") throw new RangeError(`the dtype of ${quoted(name)} is not a string`);
  if (!isTensorType(dtype)) {
    const supported = Object.keys(DTYPE_SIZES).join(", ");
    throw new RangeError(`the dtype of ${quoted(name)} must be one of ${supported}, got ${quoted(dtype)}`);
  }
  if (!isSizes(shape)) throw new RangeError(`the shape of ${quoted(name)} is not an array of sizes`);
  if (!isSizes(data_offsets) || data_offsets.length !== 2) {
    throw new RangeError(`the data_offsets of ${quoted(name)} are not two whole numbers`);
  }
  const [begin, end] = data_offsets;
  if (begin > end)
    throw new RangeError(`the data of ${quoted(name)} ends at ${end}, before its start ${begin}`);
  const size = shape.reduce((product, extent) => product * extent, 1) * DTYPE_SIZES[dtype];
  if (size !== end - begin) {
    throw new RangeError(`${quoted(name)} has ${end - begin} bytes, but its shape and dtype need ${size}`);
  }
  return { name, dtype, shape, begin, end };
}

function isTensorType(name: string): name is TensorDtype {
  return Object.hasOwn(DTYPE_SIZES, name);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

/** Throws unless the tensors cover the data from the first byte to the last, without gaps or overlaps. */
function checkCover(entries: readonly TensorEntry[], dataSize: number): void {
  let at = 0;
  for (const { name, begin, end } of entries) {
    if (end > dataSize) {
      throw new RangeError(
        `the data of ${quoted(name)} ends at ${end}, but the file has ${dataSize} bytes of data`,
      );
    }
    if (begin < at) throw new RangeError(`the data of ${quoted(name)} overlaps with that of another tensor`);
    if (begin > at)
      throw new RangeError(`${begin - at} bytes before the data of ${quoted(name)} belong to no tensor`);
    at = end;
  }
  if (at < dataSize) throw new RangeError(`${dataSize - at} bytes at its end belong to no tensor`);
}

/** A name from the file in an error message: on one line, and cut to 60 characters. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
