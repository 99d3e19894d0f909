"""The iteration of bench/workloads/training-iteration.ts in JAX: one function, compiled whole by XLA, its state donated.

The same method as pytorch_training.py, which says more about it; random numbers are drawn inside. On one thread.
Prints one JSON object. Usage: jax_training.py TRAINING HIDDEN SECONDS THREADS, TRAINING as in timing.py
"""

import json
import math
import os
import sys
from functools import partial

# Read when JAX is imported: XLA would use all cores.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["NPROC"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
from jax import numpy as jnp
from timing import TRAININGS, measure

BATCH, GIVEN, MEMORY, DYNAMICS = TRAININGS[sys.argv[1]]
LENGTH, LETTERS, STICK = 8, 4, 0.25
OWN, STEPS, FEATURES = BATCH - GIVEN, LENGTH * BATCH, LENGTH * LETTERS
STATES = (LETTERS**LENGTH - 1) // (LETTERS - 1)
OUTPUTS = 2 * LETTERS + 1
FIRST_RATE, LAST_RATE, ITERATIONS = 1e-3, 1e-5, 100_000
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
TANGENT_FROM = -5.0
SLOPE = 1 - math.exp(-TANGENT_FROM)


def init_mlp(key, *widths):
    def layer(key, inputs, outputs):
        bound = 1 / math.sqrt(inputs)
        return jax.random.uniform(key, (inputs, outputs), minval=-bound, maxval=bound), jnp.zeros(outputs)

    return [layer(*each) for each in zip(jax.random.split(key, len(widths) - 1), widths, widths[1:])]


def apply_mlp(layers, x):
    for weight, bias in layers[:-1]:
        x = jax.nn.relu(x @ weight + bias)
    weight, bias = layers[-1]
    return x @ weight + bias


def apply_policy(policy, features, index):
    said = apply_mlp(policy["mlp"], features)
    return said + policy["memory"][index] if MEMORY else said


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


def draw(key):
    """Random numbers of one iteration: for intentions, the environment's letters and when it uses them, strings."""
    keys = jax.random.split(key, 4)
    gumbel = jax.random.gumbel(keys[0], (LENGTH, OWN, LETTERS))
    noisy = jax.random.uniform(keys[1], (LENGTH, OWN)) < STICK
    drawn = jax.random.randint(keys[2], (LENGTH, OWN), 0, LETTERS)
    given = jax.random.randint(keys[3], (LENGTH, GIVEN), 0, LETTERS)
    return gumbel, noisy, drawn, given


def rollout(policy, gumbel, noisy, drawn, given):
    """Intentions [LENGTH, OWN], outcomes [LENGTH, BATCH], states [LENGTH, BATCH, FEATURES] and their numbers."""
    state = jnp.zeros((BATCH, LENGTH, LETTERS))
    index = jnp.zeros(BATCH, jnp.int32)
    intended, outcomes, states, numbers = [], [], [], [index]
    for t in range(LENGTH):
        flat = state.reshape(BATCH, FEATURES)
        logits = apply_policy(policy, flat[GIVEN:], index[GIVEN:])[:, :LETTERS]
        thought = jnp.argmax(logits + gumbel[t], 1)
        outcome = jnp.concatenate([given[t], jnp.where(noisy[t], drawn[t], thought)])
        states.append(flat)
        state = state.at[:, t].set(jax.nn.one_hot(outcome, LETTERS))
        index = index * LETTERS + outcome + 1
        intended.append(thought)
        outcomes.append(outcome)
        numbers.append(index)
    return jnp.stack(intended), jnp.stack(outcomes), jnp.stack(states), jnp.stack(numbers)


def dynamics_loss(dynamics, states, intended, outcomes):
    answers = apply_mlp(dynamics, states[:, GIVEN:].reshape(LENGTH * OWN, FEATURES)).reshape(-1, LETTERS, LETTERS)
    rows = jnp.arange(LENGTH * OWN)
    log_model = jax.nn.log_softmax(answers[rows, intended.reshape(-1)])
    return -log_model[rows, outcomes[:, GIVEN:].reshape(-1)].mean()


def policy_loss(policy, features, index, terminal, log_dynamics):
    outputs = apply_policy(policy, features, index)
    flow = outputs[:, -1]
    after = jnp.concatenate([flow[BATCH:], terminal])
    forward = jax.nn.logsumexp(jax.nn.log_softmax(outputs[:, :LETTERS]) + log_dynamics, 1)
    residual = flow + forward - after
    inside = jnp.maximum(residual, TANGENT_FROM)
    return (inside + jnp.exp(-inside) - 1 + SLOPE * (residual - inside)).mean()


def learn(state, log_reward, draws):
    done = jnp.minimum(state["iteration"] / ITERATIONS, 1.0)
    rate = LAST_RATE + (FIRST_RATE - LAST_RATE) * (1 + jnp.cos(math.pi * done)) / 2
    policy, dynamics = state["policy"], state["dynamics"]
    intended, outcomes, states, index = rollout(policy["params"], *draws)
    features = states.reshape(STEPS, FEATURES)
    gradient = jax.grad(dynamics_loss)(dynamics["params"], states, intended, outcomes)
    dynamics = adam(dynamics, gradient, state["iteration"], rate)
    log_model = jax.nn.log_softmax(apply_mlp(dynamics["params"], features).reshape(STEPS, LETTERS, LETTERS))
    log_dynamics = jnp.take_along_axis(log_model, outcomes.reshape(STEPS, 1, 1), 2)[:, :, 0]
    terminal = log_reward[index[LENGTH] - STATES]
    loss, gradient = jax.value_and_grad(policy_loss)(
        policy["params"], features, index[:LENGTH].reshape(STEPS), terminal, log_dynamics
    )
    policy = adam(policy, gradient, state["iteration"], rate)
    return {"policy": policy, "dynamics": dynamics, "iteration": state["iteration"] + 1}, loss


@partial(jax.jit, donate_argnums=0)
def iterate(state, log_reward):
    key, own = jax.random.split(state["key"])
    learned, loss = learn(state, log_reward, draw(own))
    return {**learned, "key": key}, loss


def start(hidden):
    keys = jax.random.split(jax.random.key(0), 4)
    memory = {"memory": jnp.zeros((STATES, OUTPUTS))} if MEMORY else {}
    policy = {"mlp": init_mlp(keys[0], FEATURES, hidden, hidden, OUTPUTS), **memory}
    dynamics = init_mlp(keys[1], FEATURES, *(DYNAMICS or (hidden, hidden)), LETTERS * LETTERS)
    state = {"policy": init_adam(policy), "dynamics": init_adam(dynamics), "iteration": jnp.int32(0), "key": keys[2]}
    return state, jnp.log(jax.random.uniform(keys[3], (LETTERS**LENGTH,)) + 0.1)


def main():
    hidden, seconds, threads = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    if threads != 1:
        sys.exit("ValueError: this rival runs on one thread")
    state, log_reward = start(hidden)

    def step():
        nonlocal state
        state, loss = iterate(state, log_reward)
        return float(loss)

    print(json.dumps({**measure(step, seconds), "version": jax.__version__}))


if __name__ == "__main__":
    main()
