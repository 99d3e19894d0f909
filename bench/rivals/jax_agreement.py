"""Trains with the functions of jax_training.py from weights and random numbers in a file, and prints the losses as one JSON object.

The file has the tensors `policy.network.PATH` and `dynamics.PATH` with the initial parameters, `logReward` with the log rewards of all
strings (not read in the training that the host scores), `uniform` [iterations, steps, batch, letters + 3] with the random numbers of this library, and `offPolicy`
[iterations, steps, off-policy strings] with the letters of off-policy strings.
Usage: jax_agreement.py TRAINING FILE.safetensors, with TRAINING a key of TRAININGS in timing.py
"""

import json
import sys
from pathlib import Path

import one_thread  # noqa: F401, before JAX computes anything

import jax
import numpy as np
from jax import numpy as jnp
from jax_training import STICK, initial_state, training_of


def read_tensors(path):
    data = Path(path).read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    types = {"F32": np.float32, "I32": np.int32}
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        first, last = entry["data_offsets"]
        values = np.frombuffer(data[start + first : start + last], types[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return tensors


def parameter_tree(tensors, prefix):
    """Nested dictionaries and lists of the tensors whose path begins with the prefix."""
    tree = {}
    for name, tensor in tensors.items():
        if not name.startswith(prefix):
            continue
        *path, last = name.removeprefix(prefix).split(".")
        node = tree
        for key in path:
            node = node.setdefault(key, {})
        node[last] = jnp.asarray(tensor)
    return with_lists(tree)


def with_lists(node):
    if not isinstance(node, dict):
        return node
    if all(key.isdigit() for key in node):
        return [with_lists(node[key]) for key in sorted(node, key=int)]
    return {key: with_lists(child) for key, child in node.items()}


def draws_of(uniform, off_policy, letters):
    """The random numbers of an iteration as Training.draw makes them. Off-policy strings are the first of a batch."""
    on_policy = uniform[:, off_policy.shape[1] :]
    gumbel = -jnp.log(-jnp.log(on_policy[:, :, :letters]))
    noisy = on_policy[:, :, letters] < STICK
    replacement = jnp.floor(on_policy[:, :, letters + 1] * letters).astype(jnp.int32)
    return gumbel, noisy, replacement, off_policy


def main():
    tensors = read_tensors(sys.argv[2])
    training = training_of(sys.argv[1])
    state = initial_state(parameter_tree(tensors, "policy.network."), parameter_tree(tensors, "dynamics.mlp."))
    update = training.updater()
    losses = []
    for uniform, off_policy in zip(tensors["uniform"], tensors["offPolicy"]):
        state, loss = update(state, tensors["logReward"], draws_of(uniform, off_policy, training.letters))
        losses.append(float(loss))
    print(json.dumps({"losses": losses}))


if __name__ == "__main__":
    main()
