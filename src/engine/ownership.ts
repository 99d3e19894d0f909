// Switches off jax-js's move semantics while a function is traced.
//
// jax-js frees an array when an operation consumes it, so eager code must write `x.ref` for every further use. A trace
// computes nothing and needs no freeing: here `ref` returns the array itself and `dispose` does nothing, so model code
// needs neither. jax-js does not export the classes that define them; `tracerPrototypes` gets them from live values.

import { grad, Array as JaxArray, makeJaxpr, numpy as np } from "@jax-js/jax";

let depth = 0;
let installed = false;

/** Runs `f` with move semantics off. Tracing is synchronous, so no other code runs meanwhile. */
export function withoutOwnership<T>(f: () => T): T {
  if (!installed) install();
  depth++;
  try {
    return f();
  } finally {
    depth--;
  }
}

interface Owned {
  readonly ref: unknown;
  dispose(): void;
}

function install(): void {
  for (const prototype of tracerPrototypes()) {
    const ref = Object.getOwnPropertyDescriptor(prototype, "ref");
    const dispose = Object.getOwnPropertyDescriptor(prototype, "dispose");
    if (!ref?.get || typeof dispose?.value !== "function") {
      throw new Error(
        "internal: this version of @jax-js/jax defines ref and dispose elsewhere; install the pinned version",
      );
    }
    const getRef = ref.get;
    const callDispose = dispose.value as () => void;
    Object.defineProperty(prototype, "ref", {
      ...ref,
      get(this: Owned) {
        return depth > 0 ? this : getRef.call(this);
      },
    });
    Object.defineProperty(prototype, "dispose", {
      ...dispose,
      value(this: Owned) {
        if (depth === 0) callDispose.call(this);
      },
    });
  }
  installed = true;
}

/** Prototypes of plain arrays and of the tracer classes for tracing and differentiation. */
function tracerPrototypes(): Set<object> {
  const prototypes = new Set<object>([JaxArray.prototype]);
  const collect = (value: unknown) => prototypes.add(Object.getPrototypeOf(value));
  const probe = grad((y: np.Array) => {
    fixIntegerRemainder(y);
    const { primal, tangent } = y as unknown as { primal: unknown; tangent: unknown };
    [y, primal, tangent].forEach(collect);
    return y.sum();
  });
  makeJaxpr((x: np.Array) => {
    collect(x);
    return probe(x);
  })(np.zeros([1]));
  return prototypes;
}

interface JvpTrace {
  processPrimitive(primitive: string, tracers: np.Array[], params: object): np.Array[];
}

/**
 * Works around a bug of jax-js 0.1.25: inside a differentiated function the remainder of integers returns the dividend.
 * Replaces x mod y by x − (x / y) · y.
 */
function fixIntegerRemainder(tracer: np.Array): void {
  const jvp = Object.getPrototypeOf((tracer as unknown as { _trace: JvpTrace })._trace) as JvpTrace;
  const original = jvp.processPrimitive;
  jvp.processPrimitive = function (primitive, tracers, params) {
    const [x, y] = tracers;
    const isInteger =
      primitive === "mod" && tracers.every(({ dtype }) => dtype === "int32" || dtype === "uint32");
    return isInteger ? [x.sub(x.div(y).mul(y))] : original.call(this, primitive, tracers, params);
  };
}
