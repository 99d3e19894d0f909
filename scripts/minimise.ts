// L-BFGS with a backtracking line search (Nocedal and Wright, Numerical Optimization, 7.2), for fits with a few hundred
// parameters.

/** Number of earlier steps that are stored, each with the change of the gradient. */
const MAX_PAIRS = 20;

/** Returns the value at x and writes the gradient at x into `gradient`. */
export type Objective = (x: Float64Array, gradient: Float64Array) => number;

export interface Minimum {
  readonly x: Float64Array;
  readonly value: number;
  readonly steps: number;
}

/**
 * Minimises a function until a line search finds no improvement, for at most `maxSteps` steps. Calls `onStep` after
 * each step.
 */
export function minimise(
  f: Objective,
  start: Float64Array,
  maxSteps: number,
  onStep: (step: number, value: number) => void = () => {},
): Minimum {
  let x = start.slice();
  let gradient = new Float64Array(x.length);
  let value = f(x, gradient);
  const pairs: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  for (let step = 1; step <= maxSteps; step++) {
    const direction = descent(gradient, pairs);
    let slope = dot(direction, gradient);
    if (!(slope < 0)) {
      pairs.length = 0;
      direction.set(gradient.map((g) => -g));
      slope = -dot(gradient, gradient);
    }
    let length = pairs.length > 0 ? 1 : 0.1 / Math.sqrt(-slope);
    let next = x;
    let nextValue = Number.POSITIVE_INFINITY;
    const nextGradient = new Float64Array(x.length);
    for (let attempt = 0; attempt < 40 && !(nextValue <= value + 1e-4 * length * slope); attempt++) {
      if (attempt > 0) length /= 2;
      next = x.map((xi, i) => xi + length * direction[i]);
      nextValue = f(next, nextGradient);
    }
    if (!(nextValue < value)) return { x, value, steps: step };
    const s = next.map((xi, i) => xi - x[i]);
    const y = nextGradient.map((g, i) => g - gradient[i]);
    const curvature = dot(s, y);
    if (curvature > 0) pairs.push({ s, y, rho: 1 / curvature });
    if (pairs.length > MAX_PAIRS) pairs.shift();
    [x, value, gradient] = [next, nextValue, nextGradient];
    onStep(step, value);
  }
  return { x, value, steps: maxSteps };
}

/** The descent direction: minus an approximate inverse Hessian times the gradient (two-loop recursion). */
function descent(
  gradient: Float64Array,
  pairs: readonly { s: Float64Array; y: Float64Array; rho: number }[],
): Float64Array<ArrayBuffer> {
  const q = new Float64Array(gradient.map((g) => -g));
  const alphas: number[] = [];
  for (let i = pairs.length - 1; i >= 0; i--) {
    alphas[i] = pairs[i].rho * dot(pairs[i].s, q);
    addScaled(q, -alphas[i], pairs[i].y);
  }
  const last = pairs.at(-1);
  if (last) {
    const scale = 1 / (last.rho * dot(last.y, last.y));
    for (let i = 0; i < q.length; i++) q[i] *= scale;
  }
  pairs.forEach(({ s, y, rho }, i) => {
    addScaled(q, alphas[i] - rho * dot(y, q), s);
  });
  return q;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function addScaled(a: Float64Array, factor: number, b: Float64Array): void {
  for (let i = 0; i < a.length; i++) a[i] += factor * b[i];
}
