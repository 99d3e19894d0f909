"""Training iterations of gfnx on its own environments (TFBind8 and hypergrid), with its rewards, rollouts and masks.

The package has no losses: its scripts write them out. The losses here (TB and DB) are the same formulas, on the library's
log-probabilities where it has them. Networks, initialisation and Adam are plain JAX and optax. Each state of the trajectories is
evaluated once for the loss. As the training loops of gfnx, several iterations are one call, compiled by XLA with donated state.
Prints one JSON object with the floating-point operations of the matrix products per iteration.
Usage: gfnx_training.py TASK HIDDEN SECONDS THREADS, with TASK one of TASKS in peer_tasks.py
"""

import itertools
import json
import os
import pickle
import sys
import tempfile
from functools import partial
from importlib.metadata import version
from pathlib import Path

import one_thread  # noqa: F401, before JAX computes anything

import gfnx
import jax
import numpy as np
import optax
from jax import numpy as jnp
from jax_flops import matrix_flops
from jax_layers import init_mlp, mlp
from peer_tasks import BATCH, LOG_Z_RATE, R0, R1, R2, RATE, SETTLING_ITERATIONS, arguments
from timing import measure

LENGTH, LETTERS = 8, 4
ITERATIONS_PER_CALL = 10


def strings():
    """TFBind8 with random scores. The library reads its table from a file relative to the working directory."""
    env = gfnx.TFBind8Environment(gfnx.TFBind8RewardModule(reward_exponent=1.0))
    texts = np.array(list(itertools.product(range(LETTERS), repeat=LENGTH)))
    scores = np.random.default_rng(0).uniform(0.1, 1.1, (len(texts), 1))
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "proxy/weights/tfbind/tfbind8-exact-v0-all.pkl")
        table.parent.mkdir(parents=True)
        table.write_bytes(pickle.dumps({"x": texts, "y": scores}))
        before = os.getcwd()
        os.chdir(folder)
        env_params = env.init(jax.random.key(0))
        os.chdir(before)
    return env, env_params


def grid(dimensions, side):
    env = gfnx.HypergridEnvironment(gfnx.GeneralHypergridRewardModule(R0, R1, R2), dim=dimensions, side=side)
    return env, env.init(jax.random.key(0))


class Training:
    def __init__(self, balance, sizes, hidden):
        self.balance = balance
        self.env, self.env_params = strings() if sizes is None else grid(*sizes)
        self.on_grid = sizes is not None
        self.forward_actions = self.env.action_space.n
        # The parent of a prefix is certain, so strings need no backward policy.
        self.backward_actions = self.env.backward_action_space.n if self.on_grid else 0
        inputs = sizes[0] * sizes[1] if self.on_grid else LENGTH * LETTERS
        outputs = self.forward_actions + self.backward_actions + (balance == "db")
        params = {"network": init_mlp(jax.random.key(1), inputs, hidden, hidden, outputs), "log_z": jnp.float32(0)}
        rates = {"network": optax.adam(RATE), "log_z": optax.adam(LOG_Z_RATE)}
        self.adam = optax.multi_transform(rates, {"network": "network", "log_z": "log_z"})
        self.state = {"params": params, "adam": self.adam.init(params), "key": jax.random.key(2)}

    def outputs(self, network, observations):
        """Forward logits, backward logits and flow (for DB only) of observations [..., observation]."""
        if not self.on_grid:
            # The first token marks the beginning. A padding token is encoded as zeros.
            letters = jax.nn.one_hot(observations[..., 1:], LETTERS)
            observations = letters.reshape(*letters.shape[:-2], LENGTH * LETTERS)
        packed = mlp(network, observations)
        ends = [self.forward_actions, self.forward_actions + self.backward_actions]
        forward, backward, flow = jnp.split(packed, ends, -1)
        if not self.on_grid:
            backward = jnp.zeros((*forward.shape[:-1], 1))
        return forward, backward, flow

    def iterate(self, state, _):
        params = state["params"]
        key, rollout_key = jax.random.split(state["key"])
        trajectories, info = gfnx.utils.forward_rollout(
            rollout_key, BATCH, self.policy, params["network"], self.env, self.env_params
        )
        loss_of = self.trajectory_balance if self.balance == "tb" else self.detailed_balance
        loss, gradient = jax.value_and_grad(loss_of)(params, trajectories, info["log_gfn_reward"])
        updates, adam = self.adam.update(gradient, state["adam"], params)
        return {"params": optax.apply_updates(params, updates), "adam": adam, "key": key}, loss

    def policy(self, _, observations, network):
        return self.outputs(network, observations)[0], {}

    def trajectory_balance(self, params, trajectories, log_reward):
        forward, backward, _ = self.outputs(params["network"], trajectories.obs)
        evaluated = trajectories.replace(info={"forward_logits": forward, "backward_logits": backward})
        log_pf, log_pb = gfnx.utils.forward_trajectory_log_probs(self.env, evaluated, self.env_params)
        return jnp.mean((params["log_z"] + log_pf - log_pb - log_reward) ** 2)

    def detailed_balance(self, params, trajectories, _):
        forward, backward, flow = self.outputs(params["network"], trajectories.obs)
        rows = lambda steps: steps.reshape(-1, *steps.shape[2:])
        steps = gfnx.utils.split_traj_to_transitions(trajectories)
        env, env_params = self.env, self.env_params
        backward_actions = env.get_backward_action(steps.state, steps.action, steps.next_state, env_params)
        log_pf = chosen(rows(forward[:, :-1]), env.get_invalid_mask(steps.state, env_params), steps.action)
        invalid = env.get_invalid_backward_mask(steps.next_state, env_params)
        log_pb = chosen(rows(backward[:, 1:]), invalid, backward_actions)
        before, after = rows(flow[:, :-1, 0]), rows(flow[:, 1:, 0])
        target = jnp.where(steps.done, steps.log_gfn_reward, log_pb + after)
        squared = jnp.where(steps.pad, 0.0, before + log_pf - target) ** 2
        return squared.sum() / (~steps.pad).sum()


def chosen(logits, invalid, actions):
    """Log-probabilities of the actions among those that are not invalid, [rows]."""
    logs = jax.nn.log_softmax(logits, where=~invalid)
    return jnp.take_along_axis(logs, actions[:, None], 1)[:, 0]


def main():
    balance, sizes, hidden, seconds = arguments(sys.argv)
    training = Training(balance, sizes, hidden)

    @partial(jax.jit, donate_argnums=0)
    def iterations(state):
        return jax.lax.scan(training.iterate, state, length=ITERATIONS_PER_CALL)

    flops = matrix_flops(training.iterate, training.state, None)
    state = training.state

    def step():
        nonlocal state
        state, losses = iterations(state)
        return float(losses[-1])

    for _ in range(SETTLING_ITERATIONS // ITERATIONS_PER_CALL):
        step()
    rates = measure(step, seconds, ITERATIONS_PER_CALL)
    print(json.dumps({**rates, "flops": flops, "version": version("gfnx")}))


if __name__ == "__main__":
    main()
