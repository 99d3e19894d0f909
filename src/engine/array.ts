// The array language that programs are written in, from the very copy of jax-js that the engine traces.

export { grad, jvp, lax, linearize, numpy, numpy as np, valueAndGrad, vjp, vmap } from "@jax-js/jax";
