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

STICK = 0.25
FIRST_RATE, LAST_RATE, ITERATIONS = 1e-3, 1e-5, 100_000
TANGENT_FROM = -5.0
SLOPE = 1 - math.exp(-TANGENT_FROM)


class Training:
    """The functions of a training. Its state is a dictionary of arrays."""

    def __init__(self, name):
        sizes = TRAININGS[name]
        self.batch, self.off_policy, self.has_table, self.dynamics_hidden, self.length, self.letters, self.depth = sizes
        self.on_policy, self.steps = self.batch - self.off_policy, self.length * self.batch
        self.features = self.length * self.letters
        self.states = (self.letters**self.length - 1) // (self.letters - 1)
        # The forward logits and the flow. The objective does not read a backward policy.
        self.outputs_width = self.letters + 1

    def start(self, hidden):
        """State before the first iteration, and random log rewards of all strings."""
        keys = jax.random.split(jax.random.key(0), 4)
        widths = self.dynamics_hidden or (hidden, hidden)
        dynamics = init_mlp(keys[1], self.features, *widths, self.letters * self.letters)
        state = {**initial_state(self.init_policy(keys[0], hidden), dynamics), "key": keys[2]}
        return state, self.random_log_rewards(keys[3])

    def random_log_rewards(self, key):
        return jnp.log(jax.random.uniform(key, (self.letters**self.length,)) + 0.1)

    def init_policy(self, key, hidden):
        table = {"stateTable": {"table": jnp.zeros((self.states, self.outputs_width))}} if self.has_table else {}
        return {"mlp": init_mlp(key, self.features, *[hidden] * self.depth, self.outputs_width), **table}

    def outputs(self, policy, features, index):
        """Forward logits first and the flow last, [rows, outputs]."""
        outputs = mlp(policy["mlp"], features)
        return outputs + policy["stateTable"]["table"][index] if self.has_table else outputs

    def rollout_policy(self, policy):
        """A function that gives the forward logits of each step, from the state and the actions of the step before."""
        return lambda features, index, _: self.outputs(policy, features, index)[:, :self.letters]

    def training_outputs(self, policy, features, index, _):
        """Forward logits and flow of all steps, ordered by step."""
        outputs = self.outputs(policy, features, index)
        return outputs[:, :self.letters], outputs[:, -1]

    def draw(self, key):
        """Random numbers of one iteration: Gumbel noise for actions, mask of noisy steps, replaced letters, off-policy
        strings."""
        keys = jax.random.split(key, 4)
        gumbel = jax.random.gumbel(keys[0], (self.length, self.on_policy, self.letters))
        noisy = jax.random.uniform(keys[1], (self.length, self.on_policy)) < STICK
        replacement = jax.random.randint(keys[2], (self.length, self.on_policy), 0, self.letters)
        off_policy = jax.random.randint(keys[3], (self.length, self.off_policy), 0, self.letters)
        return gumbel, noisy, replacement, off_policy

    def rollout(self, policy, gumbel, noisy, replacement, off_policy):
        """Actions [length, on_policy], outcomes [length, batch], states [length, batch, features] and their indices."""
        logits_of = self.rollout_policy(policy)
        state = jnp.zeros((self.batch, self.length, self.letters))
        index = jnp.zeros(self.batch, jnp.int32)
        actions, outcomes, states, numbers = [], [], [], [index]
        for t in range(self.length):
            flat = state.reshape(self.batch, self.features)
            before = actions[-1] if actions else None
            logits = logits_of(flat[self.off_policy :], index[self.off_policy :], before)
            action = jnp.argmax(logits + gumbel[t], 1)
            outcome = jnp.concatenate([off_policy[t], jnp.where(noisy[t], replacement[t], action)])
            states.append(flat)
            state = state.at[:, t].set(jax.nn.one_hot(outcome, self.letters))
            index = index * self.letters + outcome + 1
            actions.append(action)
            outcomes.append(outcome)
            numbers.append(index)
        return jnp.stack(actions), jnp.stack(outcomes), jnp.stack(states), jnp.stack(numbers)

    def dynamics_loss(self, dynamics, states, actions, outcomes):
        rows = self.length * self.on_policy
        logits = mlp(dynamics, states[:, self.off_policy :].reshape(rows, self.features)).reshape(rows, self.letters, self.letters)
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
        actions, outcomes, states, index = self.rollout(state["policy"]["params"], *draws)
        terminal = log_reward[index[self.length] - self.states]
        return self.learn(state, terminal, actions, outcomes, states, index[: self.length].reshape(self.steps))

    def learn(self, state, terminal, actions, outcomes, states, index):
        """The state after the update of both networks, from gradients at the same parameters, and the loss."""
        done = jnp.minimum(state["iteration"] / ITERATIONS, 1.0)
        rate = LAST_RATE + (FIRST_RATE - LAST_RATE) * (1 + jnp.cos(math.pi * done)) / 2
        policy, dynamics = state["policy"], state["dynamics"]
        features = states.reshape(self.steps, self.features)
        gradient = jax.grad(self.dynamics_loss)(dynamics["params"], states, actions, outcomes)
        logits = mlp(dynamics["params"], features).reshape(self.steps, self.letters, self.letters)
        log_model = jax.nn.log_softmax(logits)
        dynamics = adam(dynamics, gradient, state["iteration"], rate)
        log_dynamics = jnp.take_along_axis(log_model, outcomes.reshape(self.steps, 1, 1), 2)[:, :, 0]
        loss, gradient = jax.value_and_grad(self.policy_loss)(
            policy["params"], features, index, actions, terminal, log_dynamics
        )
        policy = adam(policy, gradient, state["iteration"], rate)
        return {"policy": policy, "dynamics": dynamics, "iteration": state["iteration"] + 1}, loss

    def iterate(self, state, log_reward):
        key, iteration_key = jax.random.split(state["key"])
        updated, loss = self.update(state, log_reward, self.draw(iteration_key))
        return {**updated, "key": key}, loss

    def updater(self):
        """`update`, compiled."""
        return jax.jit(self.update)

    def compiled(self, hidden, per_call):
        """A function that trains for some iterations and returns the loss."""
        state, log_reward = self.start(hidden)

        @partial(jax.jit, donate_argnums=0)
        def call(state, log_reward):
            if per_call == 1:
                return self.iterate(state, log_reward)
            state, losses = jax.lax.scan(lambda state, _: self.iterate(state, log_reward), state, length=per_call)
            return state, losses[-1]

        def step():
            nonlocal state
            state, loss = call(state, log_reward)
            return float(loss)

        return step


def initial_state(policy, dynamics):
    return {"policy": init_adam(policy), "dynamics": init_adam(dynamics), "iteration": jnp.int32(0)}


def training_of(name):
    if name == "training-thought":
        from jax_thought import ThoughtTraining

        return ThoughtTraining(name)
    if name.startswith("training-long"):
        from jax_long import LongTraining

        return LongTraining(name)
    return Training(name)


def main():
    name, hidden, seconds, threads = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    per_call = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    if threads != 1:
        sys.exit(f"ValueError: THREADS must be 1, got {threads}")
    step = training_of(name).compiled(hidden, per_call)
    print(json.dumps({**measure(step, seconds, per_call), "version": jax.__version__}))


if __name__ == "__main__":
    main()
