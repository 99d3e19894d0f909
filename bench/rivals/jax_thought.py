"""The iteration `training-thought` of bench/workloads/training-iteration.ts in JAX.

As `training-plain` of jax_training.py, with the policy of pytorch_thought.py: a causal transformer over the earlier actions. The
rollout keeps the keys and values of earlier positions; training is one pass over all positions. The flow depends on the state
only. This file is a module of jax_training.py.
"""

import jax
import numpy as np
from jax import numpy as jnp
from jax_layers import init_linear, init_mlp, init_norm, linear, mlp, norm
from jax_training import Training
from timing import TRAININGS

LENGTH = TRAININGS["training-thought"].length
WIDTH, HEADS, LAYERS = 64, 4, 2
DEPTH = WIDTH // HEADS
TOKEN_DEVIATION = 0.7


def positional_encoding():
    angle = np.arange(LENGTH)[:, None] / 10000 ** (np.arange(0, WIDTH, 2) / WIDTH)
    return np.stack([np.sin(angle), np.cos(angle)], 2).reshape(LENGTH, WIDTH).astype(np.float32)


POSITIONS = positional_encoding()


def init_layer(key):
    keys = jax.random.split(key, 3)
    return {
        "attentionNorm": init_norm(WIDTH),
        "attention": {
            "queryKeyValue": init_linear(keys[0], WIDTH, 3 * WIDTH),
            "output": init_linear(keys[1], WIDTH, WIDTH),
        },
        "feedForwardNorm": init_norm(WIDTH),
        "feedForward": init_mlp(keys[2], WIDTH, 4 * WIDTH, WIDTH),
    }


def query_key_value(layer, h):
    """Queries, keys and values of rows [..., WIDTH], [..., HEADS, DEPTH] each."""
    packed = linear(layer["attention"]["queryKeyValue"], norm(layer["attentionNorm"], h))
    return jnp.moveaxis(packed.reshape(*h.shape[:-1], 3, HEADS, DEPTH), -3, 0)


def residual(layer, h, attended):
    middle = h + linear(layer["attention"]["output"], attended.reshape(h.shape))
    return middle + mlp(layer["feedForward"], norm(layer["feedForwardNorm"], middle))


class ThoughtTraining(Training):
    def init_policy(self, key, hidden):
        keys = jax.random.split(key, 4 + LAYERS)
        return {
            "mlp": init_mlp(keys[0], self.features + WIDTH, hidden, hidden, self.letters),
            "encoder": {
                "begin": TOKEN_DEVIATION * jax.random.normal(keys[1], (1, WIDTH)),
                "thought": {"weight": TOKEN_DEVIATION * jax.random.normal(keys[2], (self.letters, WIDTH))},
                "transformer": {"layers": [init_layer(each) for each in keys[4:]], "finalNorm": init_norm(WIDTH)},
            },
            "ofState": {"mlp": init_mlp(keys[3], self.features, hidden, hidden, 1)},
        }

    def rollout_policy(self, policy):
        encoder, layers = policy["encoder"], policy["encoder"]["transformer"]["layers"]
        caches = [([], []) for _ in layers]

        def logits_of(features, _, action):
            t = len(caches[0][0])
            if action is None:
                token = jnp.broadcast_to(encoder["begin"], (self.batch, WIDTH))
            else:
                token = encoder["thought"]["weight"][action]
            h = token + POSITIONS[t]
            for layer, (keys, values) in zip(layers, caches):
                query, key, value = query_key_value(layer, h)
                keys.append(key)
                values.append(value)
                scores = jnp.einsum("bhd,sbhd->bhs", query, jnp.stack(keys)) / DEPTH**0.5
                h = residual(layer, h, jnp.einsum("bhs,sbhd->bhd", jax.nn.softmax(scores), jnp.stack(values)))
            embedding = norm(encoder["transformer"]["finalNorm"], h)
            return mlp(policy["mlp"], jnp.concatenate([features, embedding], 1))

        return logits_of

    def training_outputs(self, policy, features, _, actions):
        encoder = policy["encoder"]
        begin = jnp.broadcast_to(encoder["begin"], (1, self.batch, WIDTH))
        tokens = jnp.concatenate([begin, encoder["thought"]["weight"][actions[:-1]]])
        h = tokens + POSITIONS[:, None]  # [LENGTH, batch, WIDTH]
        causal = jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
        for layer in encoder["transformer"]["layers"]:
            query, key, value = query_key_value(layer, h)
            scores = jnp.einsum("tbhd,sbhd->bhts", query, key) / DEPTH**0.5
            weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf))
            h = residual(layer, h, jnp.einsum("bhts,sbhd->tbhd", weights, value))
        embedding = norm(encoder["transformer"]["finalNorm"], h).reshape(self.steps, WIDTH)
        logits = mlp(policy["mlp"], jnp.concatenate([features, embedding], 1))
        return logits, mlp(policy["ofState"]["mlp"], features)[:, -1]
