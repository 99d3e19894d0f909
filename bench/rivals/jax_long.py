"""The iterations `training-long` to `training-long-256` of bench/workloads/training-iteration.ts in JAX: long strings that a function on the host scores.

An iteration is two compiled functions, as in this library: the rollout, and the update on the scored strings. This file is a
module of jax_training.py.
"""

import sys

import jax
import numpy as np
from jax import numpy as jnp
from jax_training import Training


def log_rewards(outcomes):
    """log of .1 + the share of the first letter, for strings as columns of letters."""
    return np.log(0.1 + (outcomes == 0).mean(0)).astype(np.float32)


class LongTraining(Training):
    def random_log_rewards(self, key):
        return None

    def updater(self):
        roll_out = jax.jit(lambda policy, draws: self.rollout(policy, *draws)[:3])

        def learn(state, terminal, actions, outcomes, states):
            return self.learn(state, terminal, actions, outcomes, states, jnp.zeros(self.steps, jnp.int32))

        compiled_learn = jax.jit(learn, donate_argnums=0)

        def update(state, _, draws):
            actions, outcomes, states = roll_out(state["policy"]["params"], draws)
            return compiled_learn(state, log_rewards(np.asarray(outcomes)), actions, outcomes, states)

        return update

    def compiled(self, hidden, per_call):
        if per_call != 1:
            sys.exit(f"ValueError: ITERATIONS_PER_CALL must be 1 if the host scores strings, got {per_call}")
        state, _ = self.start(hidden)
        key = state.pop("key")
        draw, update = jax.jit(self.draw), self.updater()

        def step():
            nonlocal state, key
            key, iteration_key = jax.random.split(key)
            state, loss = update(state, None, draw(iteration_key))
            return float(loss)

        return step
