"""The iteration of bench/workloads/training-iteration.ts in JAX: one function compiled by XLA, with donated state.

The method is the same as in pytorch_training.py, which describes it; random numbers are drawn inside the function. A call can
run several iterations. Runs on one thread and prints one JSON object.
Usage: jax_training.py TRAINING HIDDEN SECONDS THREADS [ITERATIONS_PER_CALL], with TRAINING a key of TRAININGS in timing.py
"""

import json
import math
import sys
from functools import partial

import one_thread  # noqa: F401, before JAX computes anything

import jax
from jax import numpy as jnp
from jax_layers import adam, init_adam, init_mlp, mlp
from timing import TRAININGS, measure

LENGTH, LETTERS, STICK = 8, 4, 0.25
FEATURES = LENGTH * LETTERS
STATES = (LETTERS**LENGTH - 1) // (LETTERS - 1)
# The forward logits and the flow. The objective does not read a backward policy.
OUTPUTS = LETTERS + 1
FIRST_RATE, LAST_RATE, ITERATIONS = 1e-3, 1e-5, 100_000
TANGENT_FROM = -5.0
SLOPE = 1 - math.exp(-TANGENT_FROM)


class Training:
    """The functions of a training. Its state is a dictionary of arrays."""

    def __init__(self, name):
        self.batch, self.off_policy, self.has_table, self.dynamics_hidden = TRAININGS[name]
        self.on_policy, self.steps = self.batch - self.off_policy, LENGTH * self.batch

    def start(self, hidden):
        """State before the first iteration, and random log rewards of all strings."""
        keys = jax.random.split(jax.random.key(0), 4)
        dynamics = init_mlp(keys[1], FEATURES, *(self.dynamics_hidden or (hidden, hidden)), LETTERS * LETTERS)
        state = {**initial_state(self.init_policy(keys[0], hidden), dynamics), "key": keys[2]}
        return state, jnp.log(jax.random.uniform(keys[3], (LETTERS**LENGTH,)) + 0.1)

    def init_policy(self, key, hidden):
        table = {"stateTable": {"table": jnp.zeros((STATES, OUTPUTS))}} if self.has_table else {}
        return {"mlp": init_mlp(key, FEATURES, hidden, hidden, OUTPUTS), **table}

    def outputs(self, policy, features, index):
        """Forward logits first and the flow last, [rows, outputs]."""
        outputs = mlp(policy["mlp"], features)
        return outputs + policy["stateTable"]["table"][index] if self.has_table else outputs

    def rollout_policy(self, policy):
        """A function that gives the forward logits of each step, from the state and the actions of the step before."""
        return lambda features, index, _: self.outputs(policy, features, index)[:, :LETTERS]

    def training_outputs(self, policy, features, index, _):
        """Forward logits and flow of all steps, ordered by step."""
        outputs = self.outputs(policy, features, index)
        return outputs[:, :LETTERS], outputs[:, -1]

    def draw(self, key):
        """Random numbers of one iteration: Gumbel noise for actions, mask of noisy steps, replaced letters, off-policy
        strings."""
        keys = jax.random.split(key, 4)
        gumbel = jax.random.gumbel(keys[0], (LENGTH, self.on_policy, LETTERS))
        noisy = jax.random.uniform(keys[1], (LENGTH, self.on_policy)) < STICK
        replacement = jax.random.randint(keys[2], (LENGTH, self.on_policy), 0, LETTERS)
        off_policy = jax.random.randint(keys[3], (LENGTH, self.off_policy), 0, LETTERS)
        return gumbel, noisy, replacement, off_policy

    def rollout(self, policy, gumbel, noisy, replacement, off_policy):
        """Actions [LENGTH, on_policy], outcomes [LENGTH, batch], states [LENGTH, batch, FEATURES] and their indices."""
        logits_of = self.rollout_policy(policy)
        state = jnp.zeros((self.batch, LENGTH, LETTERS))
        index = jnp.zeros(self.batch, jnp.int32)
        actions, outcomes, states, numbers = [], [], [], [index]
        for t in range(LENGTH):
            flat = state.reshape(self.batch, FEATURES)
            before = actions[-1] if actions else None
            logits = logits_of(flat[self.off_policy :], index[self.off_policy :], before)
            action = jnp.argmax(logits + gumbel[t], 1)
            outcome = jnp.concatenate([off_policy[t], jnp.where(noisy[t], replacement[t], action)])
            states.append(flat)
            state = state.at[:, t].set(jax.nn.one_hot(outcome, LETTERS))
            index = index * LETTERS + outcome + 1
            actions.append(action)
            outcomes.append(outcome)
            numbers.append(index)
        return jnp.stack(actions), jnp.stack(outcomes), jnp.stack(states), jnp.stack(numbers)

    def dynamics_loss(self, dynamics, states, actions, outcomes):
        rows = LENGTH * self.on_policy
        logits = mlp(dynamics, states[:, self.off_policy :].reshape(rows, FEATURES)).reshape(rows, LETTERS, LETTERS)
        log_model = jax.nn.log_softmax(logits[jnp.arange(rows), actions.reshape(-1)])
        return -log_model[jnp.arange(rows), outcomes[:, self.off_policy :].reshape(-1)].mean()

    def policy_loss(self, policy, features, index, actions, terminal, log_dynamics):
        logits, flow = self.training_outputs(policy, features, index, actions)
        after = jnp.concatenate([flow[self.batch :], terminal])
        forward = jax.nn.logsumexp(jax.nn.log_softmax(logits) + log_dynamics, 1)
        residual = flow + forward - after
        inside = jnp.maximum(residual, TANGENT_FROM)
        return (inside + jnp.exp(-inside) - 1 + SLOPE * (residual - inside)).mean()

    def update(self, state, log_reward, draws):
        """The state after an iteration with these random numbers, and its loss."""
        done = jnp.minimum(state["iteration"] / ITERATIONS, 1.0)
        rate = LAST_RATE + (FIRST_RATE - LAST_RATE) * (1 + jnp.cos(math.pi * done)) / 2
        policy, dynamics = state["policy"], state["dynamics"]
        actions, outcomes, states, index = self.rollout(policy["params"], *draws)
        features = states.reshape(self.steps, FEATURES)
        gradient = jax.grad(self.dynamics_loss)(dynamics["params"], states, actions, outcomes)
        log_model = jax.nn.log_softmax(mlp(dynamics["params"], features).reshape(self.steps, LETTERS, LETTERS))
        dynamics = adam(dynamics, gradient, state["iteration"], rate)
        log_dynamics = jnp.take_along_axis(log_model, outcomes.reshape(self.steps, 1, 1), 2)[:, :, 0]
        terminal = log_reward[index[LENGTH] - STATES]
        loss, gradient = jax.value_and_grad(self.policy_loss)(
            policy["params"], features, index[:LENGTH].reshape(self.steps), actions, terminal, log_dynamics
        )
        policy = adam(policy, gradient, state["iteration"], rate)
        return {"policy": policy, "dynamics": dynamics, "iteration": state["iteration"] + 1}, loss

    def iterate(self, state, log_reward):
        key, iteration_key = jax.random.split(state["key"])
        updated, loss = self.update(state, log_reward, self.draw(iteration_key))
        return {**updated, "key": key}, loss


def initial_state(policy, dynamics):
    return {"policy": init_adam(policy), "dynamics": init_adam(dynamics), "iteration": jnp.int32(0)}


def training_of(name):
    if name != "training-thought":
        return Training(name)
    from jax_thought import ThoughtTraining

    return ThoughtTraining(name)


def main():
    name, hidden, seconds, threads = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    per_call = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    if threads != 1:
        sys.exit(f"ValueError: THREADS must be 1, got {threads}")
    training = training_of(name)
    state, log_reward = training.start(hidden)

    @partial(jax.jit, donate_argnums=0)
    def call(state, log_reward):
        if per_call == 1:
            return training.iterate(state, log_reward)
        state, losses = jax.lax.scan(lambda state, _: training.iterate(state, log_reward), state, length=per_call)
        return state, losses[-1]

    def step():
        nonlocal state
        state, loss = call(state, log_reward)
        return float(loss)

    print(json.dumps({**measure(step, seconds, per_call), "version": jax.__version__}))


if __name__ == "__main__":
    main()
