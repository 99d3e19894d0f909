"""The iteration of bench/workloads/training-iteration.ts in eager PyTorch, written to be fast.

Strings of 8 letters out of 4 in an environment that replaces a quarter of the letters; detailed balance with the learned
dynamics marginalised over intentions, in its KL form. Part of the batch may follow strings drawn uniformly. What need
not be computed is not: only the rest is rolled out and teaches the dynamics, without gradients in the rollout and with
one batched pass for training; gradients are not clipped.
Prints one JSON object. Usage: pytorch_training.py TRAINING HIDDEN SECONDS THREADS, TRAINING as in timing.py
"""

import json
import math
import sys

import torch
from timing import TRAININGS, measure
from torch import nn
from torch.nn import functional as F

BATCH, GIVEN, MEMORY, DYNAMICS = TRAININGS[sys.argv[1]]
LENGTH, LETTERS, STICK = 8, 4, 0.25
OWN, STEPS, FEATURES = BATCH - GIVEN, LENGTH * BATCH, LENGTH * LETTERS
STATES = (LETTERS**LENGTH - 1) // (LETTERS - 1)
OUTPUTS = 2 * LETTERS + 1
FIRST_RATE, LAST_RATE, ITERATIONS = 1e-3, 1e-5, 100_000
TANGENT_FROM = -5.0
SLOPE = 1 - math.exp(-TANGENT_FROM)


def mlp(*widths):
    pairs = list(zip(widths, widths[1:]))
    layers = [layer for pair in pairs for layer in (nn.Linear(*pair), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


class Training:
    def __init__(self, hidden, log_reward):
        self.policy = mlp(FEATURES, hidden, hidden, OUTPUTS)
        # The memory's gradient is dense, so that one fused Adam updates everything. Sparse gradients would need
        # SparseAdam, which leaves rows alone that were not seen (another method), and was slower.
        self.memory = nn.Embedding(STATES, OUTPUTS) if MEMORY else None
        learned = [*self.policy.parameters()]
        if self.memory:
            nn.init.zeros_(self.memory.weight)
            learned += self.memory.parameters()
        self.dynamics = mlp(FEATURES, *(DYNAMICS or (hidden, hidden)), LETTERS * LETTERS)
        self.policy_adam = torch.optim.Adam(learned, lr=FIRST_RATE, fused=True)
        self.dynamics_adam = torch.optim.Adam(self.dynamics.parameters(), lr=FIRST_RATE, fused=True)
        self.log_reward = log_reward
        # Which letters a state has: those before its step.
        self.written = torch.ones(LENGTH, LENGTH).tril(-1).view(LENGTH, 1, LENGTH, 1)
        self.iteration = 0

    def draw(self):
        """Random numbers of one iteration: for intentions, the environment's letters and when it uses them, strings."""
        gumbel = torch.empty(LENGTH, OWN, LETTERS).exponential_().log_().neg_()
        noisy = torch.rand(LENGTH, OWN) < STICK
        drawn = torch.randint(LETTERS, (LENGTH, OWN))
        given = torch.randint(LETTERS, (LENGTH, GIVEN))
        return gumbel, noisy, drawn, given

    def ask(self, features, index):
        said = self.policy(features)
        return said + self.memory(index) if self.memory else said

    @torch.no_grad()
    def rollout(self, gumbel, noisy, drawn, given):
        """Intentions [LENGTH, OWN], outcomes [LENGTH, BATCH] and numbers of all states [LENGTH + 1, BATCH]."""
        intended = torch.empty(LENGTH, OWN, dtype=torch.long)
        outcomes = torch.empty(LENGTH, BATCH, dtype=torch.long)
        outcomes[:, :GIVEN] = given
        index = torch.zeros(LENGTH + 1, BATCH, dtype=torch.long)
        state = torch.zeros(OWN, LENGTH, LETTERS)
        flat, own, own_index = state.view(OWN, FEATURES), outcomes[:, GIVEN:], index[:, GIVEN:]
        for t in range(LENGTH):
            outputs = self.ask(flat, own_index[t])
            torch.argmax(outputs[:, :LETTERS] + gumbel[t], 1, out=intended[t])
            torch.where(noisy[t], drawn[t], intended[t], out=own[t])
            state[:, t].scatter_(1, own[t].unsqueeze(1), 1.0)
            torch.add(outcomes[t] + 1, index[t], alpha=LETTERS, out=index[t + 1])
        return intended, outcomes, index

    def step(self, draws=None):
        self.schedule()
        intended, outcomes, index = self.rollout(*(draws or self.draw()))
        terminal = self.log_reward[index[LENGTH] - STATES]
        letters = F.one_hot(outcomes.t(), LETTERS)  # [BATCH, LENGTH, LETTERS]
        states = self.written * letters  # [LENGTH, BATCH, LENGTH, LETTERS]
        features = states.view(STEPS, FEATURES)

        self.dynamics_adam.zero_grad(set_to_none=True)
        answers = self.dynamics(states[:, GIVEN:].reshape(LENGTH * OWN, FEATURES))
        rows = intended.view(-1, 1, 1).expand(-1, 1, LETTERS)
        logits = answers.view(-1, LETTERS, LETTERS).gather(1, rows).squeeze(1)
        dynamics_loss = F.cross_entropy(logits, outcomes[:, GIVEN:].reshape(-1))
        dynamics_loss.backward()
        self.dynamics_adam.step()
        with torch.no_grad():
            log_model = F.log_softmax(self.dynamics(features).view(STEPS, LETTERS, LETTERS), 2)
            log_dynamics = log_model.gather(2, outcomes.view(-1, 1, 1).expand(-1, LETTERS, 1)).squeeze(2)

        self.policy_adam.zero_grad(set_to_none=True)
        outputs = self.ask(features, index[:LENGTH].view(STEPS))
        flow = outputs[:, -1]
        after = torch.cat([flow[BATCH:], terminal])
        forward = torch.logsumexp(F.log_softmax(outputs[:, :LETTERS], 1) + log_dynamics, 1)
        residual = flow + forward - after
        inside = residual.clamp(min=TANGENT_FROM)
        loss = (inside + torch.exp(-inside) - 1 + SLOPE * (residual - inside)).mean()
        loss.backward()
        self.policy_adam.step()
        return loss.item()

    def schedule(self):
        done = min(self.iteration / ITERATIONS, 1.0)
        rate = LAST_RATE + (FIRST_RATE - LAST_RATE) * (1 + math.cos(math.pi * done)) / 2
        for adam in (self.policy_adam, self.dynamics_adam):
            adam.param_groups[0]["lr"] = rate
        self.iteration += 1


def main():
    hidden, seconds, threads = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    kind = Training
    if sys.argv[1] == "training-thought":
        from pytorch_thought import ThoughtTraining as kind
    training = kind(hidden, torch.log(torch.rand(LETTERS**LENGTH) + 0.1))
    print(json.dumps({**measure(training.step, seconds), "version": torch.__version__}))


if __name__ == "__main__":
    main()
