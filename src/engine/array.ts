// The array functions (NumPy-like) that programs are written with. They come from the same copy of jax-js that the
// engine traces, so user code needs no jax-js dependency.

export { grad, jvp, lax, linearize, numpy, numpy as np, valueAndGrad, vjp, vmap } from "@jax-js/jax";
