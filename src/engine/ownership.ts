// Switches jax-js's move semantics off while a function is traced.
//
// jax-js frees an array when an operation consumes it, so ordinary code must write `x.ref` for every further use.
// During a trace nothing is computed and nothing needs freeing; with `ref` and `dispose` as no-ops, model code
// reads like mathematics. The classes that carry them are not exported, so they are found on live values.

import { grad, Array as JaxArray, makeJaxpr, numpy as np } from "@jax-js/jax";

let depth = 0;
let installed = false;

/** Runs `f` with ownership off. Tracing is synchronous, so no other code sees the switch. */
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
        "internal: this version of @jax-js/jax keeps ref/dispose elsewhere; pin the one we know",
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

/** Prototypes of plain arrays and of the tracers that tracing and differentiation wrap them in. */
function tracerPrototypes(): Set<object> {
  const prototypes = new Set<object>([JaxArray.prototype]);
  const collect = (value: unknown) => prototypes.add(Object.getPrototypeOf(value));
  const probe = grad((y: np.Array) => {
    mendRemainder(y);
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

/** jax-js 0.1.25 differentiates the remainder of whole numbers into the dividend; spelled out it is right. */
function mendRemainder(tracer: np.Array): void {
  const jvp = Object.getPrototypeOf((tracer as unknown as { _trace: JvpTrace })._trace) as JvpTrace;
  const original = jvp.processPrimitive;
  jvp.processPrimitive = function (primitive, tracers, params) {
    const [x, y] = tracers;
    const whole =
      primitive === "mod" && tracers.every(({ dtype }) => dtype === "int32" || dtype === "uint32");
    return whole ? [x.sub(x.div(y).mul(y))] : original.call(this, primitive, tracers, params);
  };
}
