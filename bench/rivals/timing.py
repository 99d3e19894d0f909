"""Sizes of the training workloads, shared by all rivals, and the timing loop: a warm-up that is not counted, then iterations
until the time is over."""

import time

# Batch size, number of off-policy strings in it, whether the policy has a state table, hidden widths of the dynamics model
# (None: those of the policy). The values are those of bench/workloads/training-iteration.ts.
TRAININGS = {
    "training-default": (128, 64, True, (16,)),
    "training-plain": (32, 0, False, None),
    "training-thought": (32, 0, False, None),
}


def measure(step, seconds, iterations_per_step=1):
    """Iterations per second, the fastest iteration in seconds, and the last loss."""
    end = time.perf_counter() + min(1.0, seconds)
    while time.perf_counter() < end:
        step()
    count, fastest, start = 0, float("inf"), time.perf_counter()
    now = start
    while now - start < seconds:
        before = now
        loss = step()
        now = time.perf_counter()
        fastest = min(fastest, (now - before) / iterations_per_step)
        count += iterations_per_step
    return {"rate": count / (now - start), "fastest": fastest, "loss": loss}
