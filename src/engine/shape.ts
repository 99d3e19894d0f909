// Arithmetic on shapes: strides, broadcasting, alignment.

export type Shape = readonly number[];

/** Row-major strides. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

export function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((extent, i) => extent === b[i]);
}

export function isIdentity(permutation: readonly number[]): boolean {
  return permutation.every((axis, i) => axis === i);
}

/** Common shape of arrays that broadcast against each other from the right. */
export function broadcastShapes(...shapes: readonly Shape[]): number[] {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return range(rank).map((i) =>
    shapes.reduce((extent, shape) => {
      const other = shape[i - rank + shape.length] ?? 1;
      return other === 1 ? extent : other;
    }, 1),
  );
}

/** The shape with leading ones, so that it has this rank. */
export function alignRight(shape: Shape, rank: number): number[] {
  return [...new Array<number>(rank - shape.length).fill(1), ...shape];
}
