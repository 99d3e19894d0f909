"""The iteration `training-thought` of bench/workloads/training-iteration.ts in eager PyTorch, written to be fast.

As the plain one of pytorch_training.py, with a policy that reads what was intended so far through a causal transformer
(2 layers, 4 heads, 64 wide, normalised before each part). The rollout keeps keys and values and computes one position per
step; training is one pass over all positions with PyTorch's fused attention. Flow is read off the state alone.
pytorch_training.py runs it.
"""

import torch
from pytorch_training import LENGTH, LETTERS, Training, mlp
from torch import nn
from torch.nn import functional as F

BATCH, FEATURES = 32, LENGTH * LETTERS
WIDTH, HEADS, LAYERS = 64, 4, 2
DEPTH = WIDTH // HEADS


def waves():
    place = torch.arange(LENGTH).unsqueeze(1)
    angle = place / 10000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
    return torch.stack([angle.sin(), angle.cos()], 2).view(LENGTH, WIDTH)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first_norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query_key_value, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def digest(self, h, found):
        middle = h + self.output(found)
        return middle + self.narrow(F.relu(self.wide(self.second_norm(middle))))

    def next(self, h, keys, values, t):
        """One position [B, WIDTH]; keys and values [B, HEADS, LENGTH, DEPTH] are filled up to it."""
        parted = self.query_key_value(self.first_norm(h)).view(-1, 3, HEADS, DEPTH)
        query, keys[:, :, t], values[:, :, t] = parted[:, 0].unsqueeze(2), parted[:, 1], parted[:, 2]
        found = F.scaled_dot_product_attention(query, keys[:, :, : t + 1], values[:, :, : t + 1])
        return self.digest(h, found.reshape(-1, WIDTH))

    def forward(self, h):
        """All positions [B, LENGTH, WIDTH]."""
        parted = self.query_key_value(self.first_norm(h)).view(-1, LENGTH, 3, HEADS, DEPTH).permute(2, 0, 3, 1, 4)
        found = F.scaled_dot_product_attention(*parted, is_causal=True)
        return self.digest(h, found.transpose(1, 2).reshape(h.shape))


class ThoughtTraining(Training):
    def __init__(self, hidden, log_reward):
        super().__init__(hidden, log_reward)
        self.forward_policy = mlp(FEATURES + WIDTH, hidden, hidden, LETTERS)
        self.policy = mlp(FEATURES, hidden, hidden, LETTERS + 1)  # of the state: ways back and flow
        self.tokens = nn.Embedding(LETTERS + 1, WIDTH)  # the last one begins
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        modules = (self.forward_policy, self.policy, self.tokens, self.layers, self.norm)
        learned = [p for module in modules for p in module.parameters()]
        self.policy_adam = torch.optim.Adam(learned, lr=1e-3, fused=True)
        self.places = waves()
        self.keys = [torch.empty(BATCH, HEADS, LENGTH, DEPTH) for _ in range(LAYERS)]
        self.values = [torch.empty(BATCH, HEADS, LENGTH, DEPTH) for _ in range(LAYERS)]

    @torch.no_grad()
    def rollout(self, gumbel, noisy, drawn, given):
        intended = torch.empty(LENGTH, BATCH, dtype=torch.long)
        outcomes = torch.empty(LENGTH, BATCH, dtype=torch.long)
        index = torch.zeros(LENGTH + 1, BATCH, dtype=torch.long)
        state = torch.zeros(BATCH, LENGTH, LETTERS)
        flat = state.view(BATCH, FEATURES)
        token = torch.full((BATCH,), LETTERS)
        for t in range(LENGTH):
            h = self.tokens(token) + self.places[t]
            for layer, keys, values in zip(self.layers, self.keys, self.values):
                h = layer.next(h, keys, values, t)
            logits = self.forward_policy(torch.cat([flat, self.norm(h)], 1))
            torch.argmax(logits + gumbel[t], 1, out=intended[t])
            token = intended[t]
            torch.where(noisy[t], drawn[t], token, out=outcomes[t])
            state[:, t].scatter_(1, outcomes[t].unsqueeze(1), 1.0)
            torch.add(outcomes[t] + 1, index[t], alpha=LETTERS, out=index[t + 1])
        self.intended = intended
        return intended, outcomes, index

    def ask(self, features, index):
        """Forward logits, ways back and flow of all steps, ordered by step: [LENGTH · BATCH, 2 · LETTERS + 1]."""
        begin = torch.full((1, BATCH), LETTERS)
        tokens = torch.cat([begin, self.intended[:-1]]).t()  # [BATCH, LENGTH]
        h = self.tokens(tokens) + self.places
        for layer in self.layers:
            h = layer(h)
        read = self.norm(h).transpose(0, 1).reshape(LENGTH * BATCH, WIDTH)
        return torch.cat([self.forward_policy(torch.cat([features, read], 1)), self.policy(features)], 1)
