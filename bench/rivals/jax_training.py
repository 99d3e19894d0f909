"""The iteration of bench/workloads/training-iteration.ts in JAX: one function compiled by XLA, with donated state.

The method is the same as in pytorch_training.py, which describes it; random numbers are drawn inside the function.
Runs on one thread and prints one JSON object.
Usage: jax_training.py TRAINING HIDDEN SECONDS THREADS, with TRAINING a key of TRAININGS in timing.py
"""

import json
import math
import os
import sys
from functools import partial

# Must be set before JAX is imported. Without these variables XLA uses all cores.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["NPROC"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
from jax import numpy as jnp
from timing import TRAININGS, measure

BATCH, OFF_POLICY, STATE_TABLE, DYNAMICS = TRAININGS[sys.argv[1]]
LENGTH, LETTERS, STICK = 8, 4, 0.25
ON_POLICY, STEPS, FEATURES = BATCH - OFF_POLICY, LENGTH * BATCH, LENGTH * LETTERS
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
    outputs = apply_mlp(policy["mlp"], features)
    return outputs + policy["state_table"][index] if STATE_TABLE else outputs


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
    """Random numbers of one iteration: Gumbel noise for actions, mask of noisy steps, replaced letters, off-policy strings."""
    keys = jax.random.split(key, 4)
    gumbel = jax.random.gumbel(keys[0], (LENGTH, ON_POLICY, LETTERS))
    noisy = jax.random.uniform(keys[1], (LENGTH, ON_POLICY)) < STICK
    replacement = jax.random.randint(keys[2], (LENGTH, ON_POLICY), 0, LETTERS)
    off_policy = jax.random.randint(keys[3], (LENGTH, OFF_POLICY), 0, LETTERS)
    return gumbel, noisy, replacement, off_policy


def rollout(policy, gumbel, noisy, replacement, off_policy):
    """Actions [LENGTH, ON_POLICY], outcomes [LENGTH, BATCH], states [LENGTH, BATCH, FEATURES] and their indices."""
    state = jnp.zeros((BATCH, LENGTH, LETTERS))
    index = jnp.zeros(BATCH, jnp.int32)
    actions, outcomes, states, numbers = [], [], [], [index]
    for t in range(LENGTH):
        flat = state.reshape(BATCH, FEATURES)
        logits = apply_policy(policy, flat[OFF_POLICY:], index[OFF_POLICY:])[:, :LETTERS]
        action = jnp.argmax(logits + gumbel[t], 1)
        outcome = jnp.concatenate([off_policy[t], jnp.where(noisy[t], replacement[t], action)])
        states.append(flat)
        state = state.at[:, t].set(jax.nn.one_hot(outcome, LETTERS))
        index = index * LETTERS + outcome + 1
        actions.append(action)
        outcomes.append(outcome)
        numbers.append(index)
    return jnp.stack(actions), jnp.stack(outcomes), jnp.stack(states), jnp.stack(numbers)


def dynamics_loss(dynamics, states, actions, outcomes):
    logits = apply_mlp(dynamics, states[:, OFF_POLICY:].reshape(LENGTH * ON_POLICY, FEATURES)).reshape(-1, LETTERS, LETTERS)
    rows = jnp.arange(LENGTH * ON_POLICY)
    log_model = jax.nn.log_softmax(logits[rows, actions.reshape(-1)])
    return -log_model[rows, outcomes[:, OFF_POLICY:].reshape(-1)].mean()


def policy_loss(policy, features, index, terminal, log_dynamics):
    outputs = apply_policy(policy, features, index)
    flow = outputs[:, -1]
    after = jnp.concatenate([flow[BATCH:], terminal])
    forward = jax.nn.logsumexp(jax.nn.log_softmax(outputs[:, :LETTERS]) + log_dynamics, 1)
    residual = flow + forward - after
    inside = jnp.maximum(residual, TANGENT_FROM)
    return (inside + jnp.exp(-inside) - 1 + SLOPE * (residual - inside)).mean()


def update(state, log_reward, draws):
    done = jnp.minimum(state["iteration"] / ITERATIONS, 1.0)
    rate = LAST_RATE + (FIRST_RATE - LAST_RATE) * (1 + jnp.cos(math.pi * done)) / 2
    policy, dynamics = state["policy"], state["dynamics"]
    actions, outcomes, states, index = rollout(policy["params"], *draws)
    features = states.reshape(STEPS, FEATURES)
    gradient = jax.grad(dynamics_loss)(dynamics["params"], states, actions, outcomes)
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
    key, iteration_key = jax.random.split(state["key"])
    updated, loss = update(state, log_reward, draw(iteration_key))
    return {**updated, "key": key}, loss


def start(hidden):
    keys = jax.random.split(jax.random.key(0), 4)
    state_table = {"state_table": jnp.zeros((STATES, OUTPUTS))} if STATE_TABLE else {}
    policy = {"mlp": init_mlp(keys[0], FEATURES, hidden, hidden, OUTPUTS), **state_table}
    dynamics = init_mlp(keys[1], FEATURES, *(DYNAMICS or (hidden, hidden)), LETTERS * LETTERS)
    state = {"policy": init_adam(policy), "dynamics": init_adam(dynamics), "iteration": jnp.int32(0), "key": keys[2]}
    return state, jnp.log(jax.random.uniform(keys[3], (LETTERS**LENGTH,)) + 0.1)


def main():
    hidden, seconds, threads = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    if threads != 1:
        sys.exit(f"ValueError: THREADS must be 1, got {threads}")
    state, log_reward = start(hidden)

    def step():
        nonlocal state
        state, loss = iterate(state, log_reward)
        return float(loss)

    print(json.dumps({**measure(step, seconds), "version": jax.__version__}))


if __name__ == "__main__":
    main()
