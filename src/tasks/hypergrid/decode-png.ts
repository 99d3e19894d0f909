// Decodes a PNG file to a grey picture. Files come from strangers: before anything is decoded, sizes are checked, and
// that the compressed data do not inflate to more than the picture needs.

import { convertIndexedToRgb, type DecodedPng, decode } from "fast-png";
import { Unzlib } from "fflate";
import { show, UserError } from "../../issues.ts";
import { MOST_PIXELS, type Picture } from "./picture-reward.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Chunks that decide the pixels. Others, such as colour profiles and texts, may be compressed and are dropped. */
const NEEDED = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"];

/** Throws a UserError for the option `picture` if the file is no PNG, damaged or too large. */
export function decodePng(file: Uint8Array, path: string): Picture {
  const refuse = (message: string, cause?: unknown) =>
    new UserError([{ path: "picture", code: "file", message: `${path} ${message}` }], { cause });
  if (!SIGNATURE.every((byte, i) => file[i] === byte)) {
    const kind = file[0] === 0xff && file[1] === 0xd8 ? "a JPEG picture" : "another kind of file";
    throw refuse(`must be a picture of the format PNG, got ${kind}; save it as PNG`);
  }
  try {
    const chunks = neededChunks(file);
    const [header] = chunks;
    if (header?.type !== "IHDR" || header.data.length < 13) throw new RangeError("it has no header");
    const view = new DataView(header.data.buffer, header.data.byteOffset);
    const [width, height] = [view.getUint32(0), view.getUint32(4)];
    if (width * height > MOST_PIXELS || width * height === 0) {
      throw refuse(`must have 1 to ${MOST_PIXELS} pixels, got ${width} × ${height}; make it smaller`);
    }
    checkInflatedSize(chunks, { width, height, bits: bitsPerPixel(header.data) });
    const png = decode(joined([Uint8Array.from(SIGNATURE), ...chunks.map(({ whole }) => whole)]), {
      checkCrc: true,
    });
    return { width, height, brightness: brightnessOf(png) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw refuse(`is a damaged picture: ${(error as Error).message}; save it again`, error);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** With length, type and checksum. */
  readonly whole: Uint8Array;
}

function neededChunks(file: Uint8Array): Chunk[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: Chunk[] = [];
  let at = SIGNATURE.length;
  while (chunks.at(-1)?.type !== "IEND") {
    if (at + 12 > file.length) throw new RangeError("it ends before its last part");
    const length = view.getUint32(at);
    const end = at + 12 + length;
    if (end > file.length) throw new RangeError("it ends in the middle of a part");
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (NEEDED.includes(type)) {
      chunks.push({ type, data: file.subarray(at + 8, end - 4), whole: file.subarray(at, end) });
    }
    at = end;
  }
  return chunks;
}

function bitsPerPixel(header: Uint8Array): number {
  const [depth, colour] = [header[8], header[9]];
  const channels = ({ 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as Readonly<Record<number, number>>)[colour];
  if (channels === undefined) throw new RangeError(`its colour type is ${show(colour)}`);
  return depth * channels;
}

/** Bytes that are inflated at a time: a compressed byte becomes at most 1032, so this is at most 17 MB. */
const SLICE = 2 ** 14;

function checkInflatedSize(
  chunks: readonly Chunk[],
  { width, height, bits }: { readonly width: number; readonly height: number; readonly bits: number },
): void {
  // Each row has a filter and unused bits; interlaced pictures have at most twice as many rows.
  const most = Math.ceil((width * height * bits) / 8) + 4 * height + 16;
  let size = 0;
  const inflate = new Unzlib(({ length }) => {
    size += length;
  });
  for (const { type, data } of chunks) {
    if (type !== "IDAT") continue;
    for (let at = 0; at < data.length; at += SLICE) {
      inflate.push(data.slice(at, at + SLICE));
      if (size > most) throw new RangeError("its data are larger than the picture");
    }
  }
}

/** The brightness of each pixel, times its opacity. */
function brightnessOf(png: DecodedPng): Float64Array {
  const { width, height, depth, transparency } = png;
  const { samples, channels, most } = samplesOf(png);
  const hasAlpha = channels === 2 || channels === 4;
  const colours = channels - (hasAlpha ? 1 : 0);
  return Float64Array.from({ length: width * height }, (_, pixel) => {
    const at = pixel * channels;
    const value = (channel: number) => samples[at + channel] / most;
    if (!png.palette && transparency?.length === colours && depth >= 8) {
      if (transparency.every((sample, channel) => samples[at + channel] === sample)) return 0;
    }
    const grey = colours === 1 ? value(0) : 0.2126 * value(0) + 0.7152 * value(1) + 0.0722 * value(2);
    return hasAlpha ? grey * value(channels - 1) : grey;
  });
}

interface Samples {
  /** [pixels × channels]. */
  readonly samples: ArrayLike<number>;
  readonly channels: number;
  /** The largest value of a sample. */
  readonly most: number;
}

function samplesOf(png: DecodedPng): Samples {
  const { data, depth, channels, palette, width, height } = png;
  if (palette) return { samples: convertIndexedToRgb(png), channels: palette[0].length, most: 255 };
  if (depth >= 8) return { samples: data, channels, most: 2 ** depth - 1 };
  // Several grey pixels in a byte; a row begins with a new byte.
  const perByte = 8 / depth;
  const rowBytes = Math.ceil(width / perByte);
  const samples = new Uint8Array(width * height);
  for (let pixel = 0; pixel < samples.length; pixel++) {
    const column = pixel % width;
    const byte = data[Math.floor(pixel / width) * rowBytes + Math.floor(column / perByte)];
    samples[pixel] = (byte >> (8 - depth * ((column % perByte) + 1))) & (2 ** depth - 1);
  }
  return { samples, channels, most: 2 ** depth - 1 };
}
