// Rewards of a hypergrid from a formula and from a picture.

import { deflateSync } from "node:zlib";
import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { crc32 } from "../../formats/crc32.ts";
import { UserError } from "../../issues.ts";
import { decodePng } from "./decode-png.ts";
import { hypergridTask } from "./index.ts";
import { type Picture, pictureRewards } from "./picture-reward.ts";

describe("a formula as the reward", () => {
  const scores = (reward: string, options: object = {}) =>
    hypergridTask({ stick: 0, side: 3, ...options, reward }).scores;

  test("has the coordinates of a cell from 0 to 1 as x, and as whole numbers as i", () => {
    // Cells in the order of their index: the first axis is the fastest.
    expect([...scores("x1 + 10 * x2")]).toEqual([0, 0.5, 1, 5, 5.5, 6, 10, 10.5, 11]);
    expect([...scores("i1 + 10 * i2")]).toEqual([0, 1, 2, 10, 11, 12, 20, 21, 22]);
    expect([...scores("if(i1 == 1 and i2 != 1, 4, 2^i1)")]).toEqual([1, 4, 4, 1, 2, 4, 1, 4, 4]);
    expect(scores("x1 * x2 * i3 ", { dimensions: 3, side: 4 })[63]).toBe(3);
  });

  test("has a label that states it, and no known modes", () => {
    const { label, modes } = hypergridTask({ stick: 0, reward: "x1" });
    expect(label).toBe("reward x1 on a grid of 8 × 8");
    expect(modes).toBeUndefined();
  });

  test.each([
    [
      "1 / i1",
      "reward: must be finite and not negative in every cell, got Infinity in the cell 0,0 (x1 = 0, x2 = 0); change the formula",
    ],
    [
      "1 / (i1 - 1)^2 + i2",
      "reward: must be finite and not negative in every cell, got Infinity in the cell 1,0 (x1 = 0.5, x2 = 0)",
    ],
    ["if(i1 + i2 == 4, 0 / 0, 1)", "got NaN in the cell 2,2 (x1 = 1, x2 = 1)"],
    ["1.5 - i2", "got -0.5 in the cell 0,2 (x1 = 0, x2 = 1)"],
    ["0 * x1", "reward: must be above 0 in at least one cell, got 0 in all; change the formula"],
    ["x3", 'reward: unknown name "x3" at character 1; use x1, x2, i1, i2, pi or e'],
    [`${"(".repeat(60)}1${")".repeat(60)}`, "reward: a formula must be nested at most 50 deep"],
    [
      `${"(".repeat(1000)}1${")".repeat(1000)}`,
      "reward: a formula must have at most 500 characters, got 2001",
    ],
    ["1".repeat(501), "reward: a formula must have at most 500 characters, got 501"],
    ["", 'reward: must be a formula, got ""'],
  ])("is refused if it is %s", (reward, message) => {
    expect(() => scores(reward)).toThrow(UserError);
    expect(() => scores(reward)).toThrow(message);
  });
});

/** A picture of rows of brightness. */
const picture = (...rows: number[][]): Picture => ({
  width: rows[0].length,
  height: rows.length,
  brightness: Float64Array.from(rows.flat()),
});

describe("a picture as the reward", () => {
  test("has its lowest row in the first cells", () => {
    expect([...pictureRewards(picture([0.1, 0.2], [0.3, 0.4]), 2)]).toEqual([0.3, 0.4, 0.1, 0.2]);
  });

  test("is averaged over the pixels of a cell, each with its share", () => {
    const rows = [
      [0, 1, 0, 1],
      [0, 1, 0, 0],
      [1, 1, 0, 0],
      [1, 1, 0, 1],
    ];
    expect([...pictureRewards(picture(...rows), 2)]).toEqual([1, 0.25, 0.5, 0.25]);
    // Three pixels on two cells: the middle one lies half in each.
    const shared = pictureRewards(picture([0.9, 0.3, 0], [0.9, 0.3, 0], [0.9, 0.3, 0]), 2);
    expect(shared[0]).toBeCloseTo((0.9 + 0.15) / 1.5, 12);
    expect(shared[1]).toBeCloseTo(0.15 / 1.5, 12);
  });

  test("may have fewer pixels than the grid has cells", () => {
    expect([...pictureRewards(picture([0.5, 1]), 4)]).toEqual(
      [0.5, 0.5, 1, 1].flatMap(() => [0.5, 0.5, 1, 1]).slice(0, 16),
    );
  });

  test("is a task with a label", () => {
    const task = hypergridTask({ stick: 0, side: 2, picture: picture([0.5, 1]) });
    expect(task.label).toBe("brightness of a picture of 2 × 1 pixels on a grid of 2 × 2");
    expect([...task.scores]).toEqual([0.5, 1, 0.5, 1]);
  });

  test.each([
    [{ picture: picture([0, 0]) }, "picture: must not be black everywhere"],
    [
      { picture: picture([1, -2]), side: 2 },
      "must be finite and not negative in every cell, got -2 in the cell 1,0",
    ],
    [{ picture: picture([1]), dimensions: 3 }, "picture: needs a grid of two axes, got 3 `dimensions`"],
    [{ picture: picture([1]), reward: "1" }, "picture: excludes `reward`; give one of them"],
    [
      { picture: { ...picture([1]), width: 2 } },
      "must have 1 to 1048576 pixels and the brightness of each, got 1 of 2 × 1",
    ],
  ])("%# is refused", (options, message) => {
    expect(() => hypergridTask({ stick: 0, ...options })).toThrow(message);
  });
});

describe("a PNG file", () => {
  type Image = Parameters<typeof encode>[0];
  const brightness = (image: Image) => [...decodePng(encode(image), "p.png").brightness];
  const grey = { width: 2, height: 2, channels: 1, depth: 8 } as const;

  test("of any kind becomes brightness times opacity", () => {
    expect(brightness({ ...grey, data: Uint8Array.of(0, 51, 102, 255) })).toEqual([0, 0.2, 0.4, 1]);
    expect(brightness({ ...grey, depth: 16, data: Uint16Array.of(0, 13107, 26214, 65535) })).toEqual([
      0, 0.2, 0.4, 1,
    ]);
    expect(
      brightness({ ...grey, channels: 2, data: Uint8Array.of(255, 255, 255, 51, 255, 0, 0, 255) }),
    ).toEqual([1, 0.2, 0, 0]);
    const colours = brightness({
      width: 3,
      height: 1,
      channels: 3,
      depth: 8,
      data: Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255),
    });
    [0.2126, 0.7152, 0.0722].forEach((share, i) => {
      expect(colours[i]).toBeCloseTo(share, 12);
    });
    expect(
      brightness({ width: 1, height: 1, channels: 4, depth: 8, data: Uint8Array.of(255, 255, 255, 102) })[0],
    ).toBeCloseTo(0.4, 12);
  });

  test("with several pixels in a byte, or a palette", () => {
    // Three pixels per row: 1 0 1 and 0 1 1, in one byte each.
    const bits = png({ width: 3, height: 2, depth: 1, colour: 0 }, [0, 0b10100000, 0, 0b01100000]);
    expect([...decodePng(bits, "p.png").brightness]).toEqual([1, 0, 1, 0, 1, 1]);
    const palette = png(
      { width: 2, height: 1, depth: 8, colour: 3 },
      [0, 1, 0],
      ["PLTE", [0, 0, 0, 255, 255, 255]],
    );
    expect([...decodePng(palette, "p.png").brightness].map((each) => Number(each.toFixed(6)))).toEqual([
      1, 0,
    ]);
  });

  const whole = encode({ ...grey, data: Uint8Array.of(1, 2, 3, 4) });
  test.each([
    [
      "another file",
      new TextEncoder().encode("hello"),
      "p.png must be a picture of the format PNG, got another kind of file",
    ],
    ["a JPEG", Uint8Array.of(0xff, 0xd8, 0xff), "got a JPEG picture; save it as PNG"],
    ["a truncated file", whole.slice(0, 45), "p.png is a damaged picture: it ends"],
    ["an empty PNG", whole.slice(0, 8), "p.png is a damaged picture: it ends before its last part"],
    ["a wrong checksum", whole.map((byte, i) => (i === 42 ? byte ^ 1 : byte)), "p.png is a damaged picture"],
    [
      "too many pixels",
      png({ width: 2000, height: 1000, depth: 8, colour: 0 }, [0]),
      "p.png must have 1 to 1048576 pixels, got 2000 × 1000; make it smaller",
    ],
    [
      "an unknown colour type",
      png({ width: 1, height: 1, depth: 8, colour: 9 }, [0, 0]),
      "its colour type is 9",
    ],
  ])("is refused for %s", (_, bytes, message) => {
    expect(() => decodePng(bytes, "p.png")).toThrow(UserError);
    expect(() => decodePng(bytes, "p.png")).toThrow(message);
  });

  test("that would inflate to gigabytes is refused at once", () => {
    const bomb = png({ width: 4, height: 4, depth: 8, colour: 0 }, new Uint8Array(300_000_000));
    expect(bomb.length).toBeLessThan(400_000);
    const started = performance.now();
    expect(() => decodePng(bomb, "p.png")).toThrow("its data are larger than the picture");
    expect(performance.now() - started).toBeLessThan(500);
  });
});

/** A PNG file of these rows, each of which begins with its filter. */
function png(
  { width, height, depth, colour }: { width: number; height: number; depth: number; colour: number },
  rows: ArrayLike<number>,
  ...more: [string, number[]][]
): Uint8Array {
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header.set([depth, colour], 8);
  const chunks = [
    ["IHDR", header],
    ...more,
    ["IDAT", deflateSync(Uint8Array.from(rows), { level: 9 })],
    ["IEND", []],
  ] as [string, ArrayLike<number>][];
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  return Uint8Array.from(Buffer.concat([Buffer.from(signature), ...chunks.map(chunk)]));
}

function chunk([type, data]: [string, ArrayLike<number>]): Buffer {
  const content = Buffer.concat([Buffer.from(type), Uint8Array.from(data)]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
