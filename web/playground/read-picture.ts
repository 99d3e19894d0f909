// Reads a picture that the visitor has opened. The browser turns other formats into PNG, which is read as by the command line.

import type { OwnPicture } from "../../src/playground/own-data.ts";
import { MOST_PIXELS } from "../../src/tasks/hypergrid/picture-reward.ts";

/** A picture of a megapixel has less; larger files are not decoded. */
const MOST_BYTES = 16 * 2 ** 20;

/** Throws an error with one sentence if the picture cannot be read or is too large. */
export async function readPicture(file: File): Promise<OwnPicture> {
  const { name, size } = file;
  if (size > MOST_BYTES) {
    throw new Error(
      `${name} must have at most 16 MB, got ${(size / 2 ** 20).toFixed(1)} MB; make it smaller.`,
    );
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isPng = bytes[0] === 0x89 && bytes[1] === 0x50;
  const png = isPng ? bytes : await asPng(file);
  const { decodePng } = await import("../../src/tasks/hypergrid/decode-png.ts");
  return { name, png, picture: decodePng(png, name) };
}

async function asPng(file: File): Promise<Uint8Array> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`${file.name} is no picture that this browser can read; save it as PNG or JPEG.`);
  });
  const { width, height } = bitmap;
  try {
    if (width * height > MOST_PIXELS) {
      throw new Error(
        `${file.name} must have at most ${MOST_PIXELS} pixels, got ${width} × ${height}; make it smaller.`,
      );
    }
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("This browser draws no pictures; use another one.");
    return new Uint8Array(await blob.arrayBuffer());
  } finally {
    bitmap.close();
  }
}
