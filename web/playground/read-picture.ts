// Reads a picture that the visitor has opened: PNG as the command line does, other formats with the decoder of the browser.

import type { Picture } from "../../src/tasks/hypergrid/index.ts";
import { MOST_PIXELS } from "../../src/tasks/hypergrid/picture-reward.ts";

/** A picture of a megapixel has less; larger files are not decoded. */
const MOST_BYTES = 16 * 2 ** 20;

/** The brightness of the picture. Throws an error with one sentence if it cannot be read or is too large. */
export async function readPicture(file: File): Promise<Picture> {
  if (file.size > MOST_BYTES) {
    throw new Error(
      `${file.name} must have at most 16 MB, got ${(file.size / 2 ** 20).toFixed(1)} MB; make it smaller.`,
    );
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isPng = bytes[0] === 0x89 && bytes[1] === 0x50;
  if (isPng) return (await import("../../src/tasks/hypergrid/decode-png.ts")).decodePng(bytes, file.name);
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
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("This browser draws no pictures; use another one.");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const brightness = Float64Array.from({ length: width * height }, (_, i) => {
      const grey = 0.2126 * data[4 * i] + 0.7152 * data[4 * i + 1] + 0.0722 * data[4 * i + 2];
      return (grey / 255) * (data[4 * i + 3] / 255);
    });
    return { width, height, brightness };
  } finally {
    bitmap.close();
  }
}
