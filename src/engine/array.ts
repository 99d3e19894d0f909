// The array functions (NumPy-like) that programs are written with. They come from the same copy of jax-js that the
// engine traces, so user code needs no jax-js dependency.

export {
  /** The gradient of a function with a scalar result. */
  grad,
  /** The derivative of a function along a direction (Jacobian–vector product). */
  jvp,
  /** Lower-level array operations, such as `lax.erf` and `lax.stopGradient`. */
  lax,
  /** A function as its value and its linear part at a point. */
  linearize,
  /** Arrays and array functions in the style of NumPy. */
  numpy,
  /** Short name of `numpy`. */
  numpy as np,
  /** The value and the gradient of a function with a scalar result. */
  valueAndGrad,
  /** The value of a function and its transposed derivative (vector–Jacobian product). */
  vjp,
  /** A function of one row as a function of a batch of rows. */
  vmap,
} from "@jax-js/jax";
