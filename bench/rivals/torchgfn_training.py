"""Training iterations of torchgfn on its own hypergrid, with its sampler, estimators and losses (TB and DB).

The forward policy, the backward policy and the flow share the hidden layers. As in the examples of torchgfn, the loss uses the
log-probabilities that the sampler recorded. Adam is the fused kernel. Prints one JSON object with the floating-point
operations of the matrix products per iteration, which depend on the lengths of the trajectories: their mean over some
iterations at both ends of the measurement.
Usage: torchgfn_training.py TASK HIDDEN SECONDS THREADS, with TASK a grid of TASKS in peer_tasks.py
"""

import json
import sys
from importlib.metadata import version

import torch
from gfn.estimators import DiscretePolicyEstimator, ScalarEstimator
from gfn.gflownet import DBGFlowNet, TBGFlowNet
from gfn.gym import HyperGrid
from gfn.preprocessors import KHotPreprocessor
from gfn.samplers import Sampler
from gfn.utils.modules import MLP
from peer_tasks import BATCH, LOG_Z_RATE, R0, R1, R2, RATE, SETTLING_ITERATIONS, arguments
from timing import measure
from torch.utils.flop_counter import FlopCounterMode

COUNTED_ITERATIONS = 20


def training_step(balance, dimensions, side, hidden):
    reward = {"R0": R0, "R1": R1, "R2": R2}
    env = HyperGrid(ndim=dimensions, height=side, reward_fn_kwargs=reward)
    preprocessor = KHotPreprocessor(height=side, ndim=dimensions)
    inputs = preprocessor.output_dim
    forward = MLP(inputs, env.n_actions, hidden_dim=hidden, n_hidden_layers=2)
    backward = MLP(inputs, env.n_actions - 1, trunk=forward.trunk)
    pf = DiscretePolicyEstimator(forward, env.n_actions, preprocessor=preprocessor)
    pb = DiscretePolicyEstimator(backward, env.n_actions, preprocessor=preprocessor, is_backward=True)
    if balance == "tb":
        gflownet = TBGFlowNet(pf=pf, pb=pb, init_logZ=0.0)
        groups = [
            {"params": gflownet.pf_pb_parameters(), "lr": RATE},
            {"params": gflownet.logz_parameters(), "lr": LOG_Z_RATE},
        ]
    else:
        flow = ScalarEstimator(MLP(inputs, 1, trunk=forward.trunk), preprocessor=preprocessor)
        gflownet = DBGFlowNet(pf=pf, pb=pb, logF=flow)
        groups = [{"params": gflownet.parameters(), "lr": RATE}]
    adam = torch.optim.Adam(groups, fused=True)
    sampler = Sampler(estimator=pf)

    def step():
        trajectories = sampler.sample_trajectories(env, n=BATCH, save_logprobs=True)
        adam.zero_grad(set_to_none=True)
        loss = gflownet.loss_from_trajectories(env, trajectories, recalculate_all_logprobs=False)
        loss.backward()
        adam.step()
        return loss.item()

    return step


def count_flops(step):
    with FlopCounterMode(display=False) as counter:
        for _ in range(COUNTED_ITERATIONS):
            step()
    return counter.get_total_flops() / COUNTED_ITERATIONS


def main():
    balance, grid, hidden, seconds = arguments(sys.argv)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    step = training_step(balance, *grid, hidden)
    for _ in range(SETTLING_ITERATIONS):
        step()
    before = count_flops(step)
    rates = measure(step, seconds)
    flops = (before + count_flops(step)) / 2
    print(json.dumps({**rates, "flops": flops, "version": version("torchgfn")}))


if __name__ == "__main__":
    main()
