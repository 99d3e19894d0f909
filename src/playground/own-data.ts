// The visitor's own data, and examples in their place, so that every problem shows something at once.

import { encode } from "fast-png";
import type { Picture } from "../tasks/hypergrid/index.ts";

export interface OwnData {
  /** The text of a table of strings with scores, and its name in messages. */
  readonly table?: { readonly text: string; readonly name: string };
  readonly picture?: OwnPicture;
}

export interface OwnPicture {
  readonly name: string;
  readonly picture: Picture;
  /** The same picture as a PNG file. */
  readonly png: Uint8Array;
}

/** Letters and length of the strings of the example. */
const [LETTERS, LENGTH] = ["ACGT", 4];
/** Pixels along each side of the example. */
const PIXELS = 64;

let example: Required<OwnData> | undefined;

export function exampleData(): Required<OwnData> {
  example ??= { table: { text: exampleTable(), name: "the example" }, picture: examplePicture() };
  return example;
}

/** All strings of four letters. Two motifs raise the score wherever they stand. */
function exampleTable(): string {
  const count = LETTERS.length ** LENGTH;
  const lines = Array.from({ length: count }, (_, i) => {
    const string = Array.from(
      { length: LENGTH },
      (_, position) => LETTERS[Math.floor(i / LETTERS.length ** (LENGTH - 1 - position)) % LETTERS.length],
    ).join("");
    return `${string},${1 + 8 * (string.split("TA").length - 1) + 20 * (string.split("GCG").length - 1)}`;
  });
  return `string,score\n${lines.join("\n")}\n`;
}

/** A face of two eyes and a mouth on a dark ground. */
function examplePicture(): OwnPicture {
  const grey = new Uint8Array(PIXELS * PIXELS);
  for (let row = 0; row < PIXELS; row++) {
    for (let column = 0; column < PIXELS; column++) {
      const [x, y] = [(column + 0.5) / PIXELS, 1 - (row + 0.5) / PIXELS];
      const eye = (at: number) => Math.hypot(x - at, y - 0.66) < 0.09;
      const fromMouth = Math.hypot(x - 0.5, y - 0.52);
      const isMouth = fromMouth > 0.24 && fromMouth < 0.34 && y < 0.46;
      grey[row * PIXELS + column] = eye(0.3) || eye(0.7) || isMouth ? 255 : 5;
    }
  }
  const size = { width: PIXELS, height: PIXELS };
  return {
    name: "face.png",
    picture: { ...size, brightness: Float64Array.from(grey, (value) => value / 255) },
    png: encode({ ...size, data: grey, channels: 1, depth: 8 }),
  };
}
