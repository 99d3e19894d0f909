"""The iteration `training-thought` of bench/workloads/training-iteration.ts in eager PyTorch, optimised for speed.

As `training-plain` of pytorch_training.py, with a policy that is conditioned on its earlier actions by a causal transformer
(2 layers, 4 heads, width 64, pre-normalisation). The rollout uses a KV cache and computes one position per step; training
is one pass over all positions with the fused attention of PyTorch. The flow depends on the state only.
This file is a module of pytorch_training.py.
"""

import torch
from pytorch_training import LENGTH, LETTERS, Training, mlp
from torch import nn
from torch.nn import functional as F

BATCH, FEATURES = 32, LENGTH * LETTERS
WIDTH, HEADS, LAYERS = 64, 4, 2
DEPTH = WIDTH // HEADS


def positional_encoding():
    position = torch.arange(LENGTH).unsqueeze(1)
    angle = position / 10000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
    return torch.stack([angle.sin(), angle.cos()], 2).view(LENGTH, WIDTH)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first_norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query_key_value, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def residual(self, h, attended):
        middle = h + self.output(attended)
        return middle + self.narrow(F.relu(self.wide(self.second_norm(middle))))

    def next(self, h, keys, values, t):
        """Output for position t, [B, WIDTH]. Writes entry t of the KV cache, [B, HEADS, LENGTH, DEPTH]."""
        qkv = self.query_key_value(self.first_norm(h)).view(-1, 3, HEADS, DEPTH)
        query, keys[:, :, t], values[:, :, t] = qkv[:, 0].unsqueeze(2), qkv[:, 1], qkv[:, 2]
        attended = F.scaled_dot_product_attention(query, keys[:, :, : t + 1], values[:, :, : t + 1])
        return self.residual(h, attended.reshape(-1, WIDTH))

    def forward(self, h):
        """Outputs for all positions, [B, LENGTH, WIDTH]."""
        qkv = self.query_key_value(self.first_norm(h)).view(-1, LENGTH, 3, HEADS, DEPTH).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(*qkv, is_causal=True)
        return self.residual(h, attended.transpose(1, 2).reshape(h.shape))


class ThoughtTraining(Training):
    def __init__(self, hidden, log_reward):
        super().__init__(hidden, log_reward)
        self.forward_policy = mlp(FEATURES + WIDTH, hidden, hidden, LETTERS)
        self.policy = mlp(FEATURES, hidden, hidden, 1)  # of the state: the flow
        self.tokens = nn.Embedding(LETTERS + 1, WIDTH)  # the last token is the start token
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        modules = (self.forward_policy, self.policy, self.tokens, self.layers, self.norm)
        learned = [p for module in modules for p in module.parameters()]
        self.policy_adam = torch.optim.Adam(learned, lr=1e-3, fused=True)
        self.positions = positional_encoding()
        self.keys = [torch.empty(BATCH, HEADS, LENGTH, DEPTH) for _ in range(LAYERS)]
        self.values = [torch.empty(BATCH, HEADS, LENGTH, DEPTH) for _ in range(LAYERS)]

    @torch.no_grad()
    def rollout(self, gumbel, noisy, replacement, off_policy):
        actions = torch.empty(LENGTH, BATCH, dtype=torch.long)
        outcomes = torch.empty(LENGTH, BATCH, dtype=torch.long)
        index = torch.zeros(LENGTH + 1, BATCH, dtype=torch.long)
        state = torch.zeros(BATCH, LENGTH, LETTERS)
        flat = state.view(BATCH, FEATURES)
        token = torch.full((BATCH,), LETTERS)
        for t in range(LENGTH):
            h = self.tokens(token) + self.positions[t]
            for layer, keys, values in zip(self.layers, self.keys, self.values):
                h = layer.next(h, keys, values, t)
            logits = self.forward_policy(torch.cat([flat, self.norm(h)], 1))
            torch.argmax(logits + gumbel[t], 1, out=actions[t])
            token = actions[t]
            torch.where(noisy[t], replacement[t], token, out=outcomes[t])
            state[:, t].scatter_(1, outcomes[t].unsqueeze(1), 1.0)
            torch.add(outcomes[t] + 1, index[t], alpha=LETTERS, out=index[t + 1])
        self.actions = actions
        return actions, outcomes, index

    def policy_outputs(self, features, index):
        """Forward logits and flow of all steps, ordered by step: [LENGTH · BATCH, LETTERS + 1]."""
        start = torch.full((1, BATCH), LETTERS)
        tokens = torch.cat([start, self.actions[:-1]]).t()  # [BATCH, LENGTH]
        h = self.tokens(tokens) + self.positions
        for layer in self.layers:
            h = layer(h)
        embedding = self.norm(h).transpose(0, 1).reshape(LENGTH * BATCH, WIDTH)
        return torch.cat([self.forward_policy(torch.cat([features, embedding], 1)), self.policy(features)], 1)
