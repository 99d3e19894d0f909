"""The workloads of bench/engine.ts in eager PyTorch, optimised as a practitioner would do it: no gradients in the rollout,
one batched forward and backward pass for training, Adam with the fused CPU kernel.

Prints one JSON object. Usage: pytorch_iteration.py WORKLOAD HIDDEN SECONDS THREADS
"""

import json
import sys

import torch
from timing import measure
from torch import nn
from torch.nn import functional as F

BATCH, LENGTH, LETTERS, STICK, CLIP, RATE = 32, 8, 4, 0.25, 10.0, 1e-3
PRODUCTS = 8


def mlp(inputs, hidden, outputs):
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, outputs)
    )


def optimiser(net):
    return torch.optim.Adam(net.parameters(), lr=RATE, fused=True)


def gflownet_iteration(hidden):
    policy = mlp(LENGTH * LETTERS, hidden, 2 * LETTERS + 1)
    dynamics = mlp(LENGTH * LETTERS + LETTERS, hidden, LETTERS)
    policy_optimiser, dynamics_optimiser = optimiser(policy), optimiser(dynamics)
    log_reward = torch.log(torch.rand(LETTERS**LENGTH) + 0.1)
    place = torch.tensor([LETTERS ** (LENGTH - 1 - t) for t in range(LENGTH)])

    def step():
        with torch.no_grad():
            states = torch.zeros(LENGTH + 1, BATCH, LENGTH, LETTERS)
            gumbel = -torch.log(-torch.log(torch.rand(LENGTH, BATCH, LETTERS)))
            noisy = torch.rand(LENGTH, BATCH) < STICK
            replacement = torch.randint(LETTERS, (LENGTH, BATCH))
            actions = torch.empty(LENGTH, BATCH, dtype=torch.long)
            outcomes = torch.empty(LENGTH, BATCH, dtype=torch.long)
            for t in range(LENGTH):
                logits = policy(states[t].view(BATCH, -1))[:, :LETTERS]
                actions[t] = (logits + gumbel[t]).argmax(1)
                outcomes[t] = torch.where(noisy[t], replacement[t], actions[t])
                states[t + 1] = states[t]
                states[t + 1, :, t].scatter_(1, outcomes[t].unsqueeze(1), 1.0)
            terminal = log_reward[(outcomes * place.unsqueeze(1)).sum(0)]
            after = states.view((LENGTH + 1) * BATCH, -1)
            before = after[: LENGTH * BATCH]
            chosen, realised = actions.view(-1, 1), outcomes.view(-1)
            one_hot = torch.zeros(LENGTH * BATCH, LETTERS).scatter_(1, chosen, 1.0)
            attempts = torch.cat([before, one_hot], 1)

        dynamics_optimiser.zero_grad(set_to_none=True)
        dynamics_loss = F.cross_entropy(dynamics(attempts), realised)
        dynamics_loss.backward()
        nn.utils.clip_grad_norm_(dynamics.parameters(), CLIP)
        dynamics_optimiser.step()
        with torch.no_grad():
            log_dynamics = -F.cross_entropy(dynamics(attempts), realised, reduction="none")

        policy_optimiser.zero_grad(set_to_none=True)
        outputs = policy(after)
        steps = LENGTH * BATCH
        flows = outputs[:steps, 2 * LETTERS]
        later = torch.cat([flows[BATCH:], terminal])
        forward = F.log_softmax(outputs[:steps, :LETTERS], 1).gather(1, chosen).squeeze(1)
        backward = F.log_softmax(outputs[BATCH:, LETTERS : 2 * LETTERS], 1).gather(1, chosen).squeeze(1)
        residual = flows + forward + log_dynamics - later - backward
        loss = (residual * residual).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), CLIP)
        policy_optimiser.step()
        return loss.item()

    return step


def mlp_step(hidden):
    rows, inputs, outputs = 256, 32, 8
    net = mlp(inputs, hidden, outputs)
    adam = optimiser(net)
    x, y = torch.randn(rows, inputs), torch.randn(rows, outputs)

    def step():
        adam.zero_grad(set_to_none=True)
        loss = F.mse_loss(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        adam.step()
        return loss.item()

    return step


def gemm(side):
    a = torch.randn(side, side)
    b = a / side**0.5

    def step():
        product = a
        for _ in range(PRODUCTS):
            product = product @ b
        return product.mean().item()

    return step


WORKLOADS = {"gflownet-iteration": gflownet_iteration, "mlp-step": mlp_step, "gemm": gemm}


def main():
    workload, hidden, seconds, threads = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    step = WORKLOADS[workload](hidden)
    print(json.dumps({**measure(step, seconds), "version": torch.__version__}))


main()
