"""The iteration of bench/workloads/training-iteration.ts in eager PyTorch, optimised for speed.

Strings of 8 letters out of 4 in an environment that replaces a quarter of the letters. The objective is detailed balance
with learned dynamics marginalised over actions, with the KL loss. A part of the batch can be off-policy: uniform random
strings. Unnecessary work is skipped: only on-policy strings are rolled out and train the dynamics, the rollout has no
gradients, training is one batched pass, gradients are not clipped, and there is no backward policy, which nothing reads.
Prints one JSON object.
Usage: pytorch_training.py TRAINING HIDDEN SECONDS THREADS, with TRAINING a key of TRAININGS in timing.py
"""

import json
import math
import sys

import torch
from timing import TRAININGS, measure
from torch import nn
from torch.nn import functional as F

BATCH, OFF_POLICY, STATE_TABLE, DYNAMICS, LENGTH, LETTERS, _ = TRAININGS[sys.argv[1]]
STICK = 0.25
ON_POLICY, STEPS, FEATURES = BATCH - OFF_POLICY, LENGTH * BATCH, LENGTH * LETTERS
STATES = (LETTERS**LENGTH - 1) // (LETTERS - 1)
# The forward logits and the flow. The objective does not read a backward policy.
OUTPUTS = LETTERS + 1
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
        # The gradient of the state table is dense, so that one fused Adam updates all parameters. Sparse gradients would
        # need SparseAdam, which skips rows without gradients (a different method) and was slower.
        self.state_table = nn.Embedding(STATES, OUTPUTS) if STATE_TABLE else None
        learned = [*self.policy.parameters()]
        if self.state_table:
            nn.init.zeros_(self.state_table.weight)
            learned += self.state_table.parameters()
        self.dynamics = mlp(FEATURES, *(DYNAMICS or (hidden, hidden)), LETTERS * LETTERS)
        self.policy_adam = torch.optim.Adam(learned, lr=FIRST_RATE, fused=True)
        self.dynamics_adam = torch.optim.Adam(self.dynamics.parameters(), lr=FIRST_RATE, fused=True)
        self.log_reward = log_reward
        # Mask of the letters of the state at each step: those before the step.
        self.letter_mask = torch.ones(LENGTH, LENGTH).tril(-1).view(LENGTH, 1, LENGTH, 1)
        self.iteration = 0

    def draw(self):
        """Random numbers of one iteration: Gumbel noise, mask of noisy steps, replaced letters, off-policy strings."""
        gumbel = torch.empty(LENGTH, ON_POLICY, LETTERS).exponential_().log_().neg_()
        noisy = torch.rand(LENGTH, ON_POLICY) < STICK
        replacement = torch.randint(LETTERS, (LENGTH, ON_POLICY))
        off_policy = torch.randint(LETTERS, (LENGTH, OFF_POLICY))
        return gumbel, noisy, replacement, off_policy

    def policy_outputs(self, features, index):
        outputs = self.policy(features)
        return outputs + self.state_table(index) if self.state_table else outputs

    @torch.no_grad()
    def rollout(self, gumbel, noisy, replacement, off_policy):
        """Actions [LENGTH, ON_POLICY], outcomes [LENGTH, BATCH] and indices of all states [LENGTH + 1, BATCH]."""
        actions = torch.empty(LENGTH, ON_POLICY, dtype=torch.long)
        outcomes = torch.empty(LENGTH, BATCH, dtype=torch.long)
        outcomes[:, :OFF_POLICY] = off_policy
        index = torch.zeros(LENGTH + 1, BATCH, dtype=torch.long)
        state = torch.zeros(ON_POLICY, LENGTH, LETTERS)
        flat = state.view(ON_POLICY, FEATURES)
        on_policy, on_policy_index = outcomes[:, OFF_POLICY:], index[:, OFF_POLICY:]
        for t in range(LENGTH):
            outputs = self.policy_outputs(flat, on_policy_index[t])
            torch.argmax(outputs[:, :LETTERS] + gumbel[t], 1, out=actions[t])
            torch.where(noisy[t], replacement[t], actions[t], out=on_policy[t])
            state[:, t].scatter_(1, on_policy[t].unsqueeze(1), 1.0)
            torch.add(outcomes[t] + 1, index[t], alpha=LETTERS, out=index[t + 1])
        return actions, outcomes, index

    def step(self, draws=None):
        self.schedule()
        actions, outcomes, index = self.rollout(*(draws or self.draw()))
        terminal = self.log_reward[index[LENGTH] - STATES]
        letters = F.one_hot(outcomes.t(), LETTERS)  # [BATCH, LENGTH, LETTERS]
        states = self.letter_mask * letters  # [LENGTH, BATCH, LENGTH, LETTERS]
        features = states.view(STEPS, FEATURES)

        self.dynamics_adam.zero_grad(set_to_none=True)
        log_model = F.log_softmax(self.dynamics(features).view(STEPS, LETTERS, LETTERS), 2)
        rows = outcomes.view(-1, 1, 1).expand(-1, LETTERS, 1)
        log_dynamics = log_model.gather(2, rows).squeeze(2)  # [STEPS, LETTERS]
        of_outcomes = log_dynamics.view(LENGTH, BATCH, LETTERS)[:, OFF_POLICY:]
        dynamics_loss = -of_outcomes.gather(2, actions.unsqueeze(2)).mean()
        dynamics_loss.backward()
        self.dynamics_adam.step()
        log_dynamics = log_dynamics.detach()

        self.policy_adam.zero_grad(set_to_none=True)
        outputs = self.policy_outputs(features, index[:LENGTH].view(STEPS))
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
