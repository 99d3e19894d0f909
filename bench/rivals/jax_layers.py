"""Layers and Adam in plain JAX. Parameters are nested dictionaries and lists with the names of this library."""

import jax
import one_thread  # noqa: F401, before JAX computes anything
from jax import numpy as jnp

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def init_linear(key, inputs, outputs):
    bound = inputs**-0.5
    weight = jax.random.uniform(key, (inputs, outputs), minval=-bound, maxval=bound)
    return {"weight": weight, "bias": jnp.zeros(outputs)}


def linear(params, x):
    return x @ params["weight"] + params["bias"]


def init_mlp(key, *widths):
    keys = jax.random.split(key, len(widths) - 1)
    return {"layers": [init_linear(*each) for each in zip(keys, widths, widths[1:])]}


def mlp(params, x):
    *hidden, last = params["layers"]
    for layer in hidden:
        x = jax.nn.relu(linear(layer, x))
    return linear(last, x)


def init_norm(width):
    return {"gain": jnp.ones(width), "bias": jnp.zeros(width)}


def norm(params, x):
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * params["gain"] + params["bias"]


def init_adam(params):
    return {"params": params, "m": jax.tree.map(jnp.zeros_like, params), "v": jax.tree.map(jnp.zeros_like, params)}


def adam(state, gradient, iteration, rate):
    time = iteration + 1
    scale = rate * jnp.sqrt(1 - BETA2**time) / (1 - BETA1**time)
    epsilon = EPSILON * jnp.sqrt(1 - BETA2**time)
    m = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, state["m"], gradient)
    v = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, state["v"], gradient)
    params = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + epsilon), state["params"], m, v)
    return {"params": params, "m": m, "v": v}
