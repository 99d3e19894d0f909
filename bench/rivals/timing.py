"""Sizes of the training workloads, shared by all rivals, and the timing loop: a warm-up that is not counted, then iterations
until the time is over."""

import resource
import time
from typing import NamedTuple


class Sizes(NamedTuple):
    """The sizes of a training. `dynamics` has the hidden widths of the dynamics model (None: those of the policy), and `depth` is
    the number of hidden layers of the policy."""

    batch: int
    off_policy: int = 0
    has_table: bool = False
    dynamics: tuple[int, ...] | None = None
    length: int = 8
    letters: int = 4
    depth: int = 2


# The values are those of bench/workloads/training-iteration.ts.
TRAININGS = {
    "training-default": Sizes(128, off_policy=64, has_table=True, dynamics=(16,)),
    "training-plain": Sizes(32),
    "training-thought": Sizes(32),
    "training-large": Sizes(32, dynamics=(64,), depth=3),
    "training-long": Sizes(32, dynamics=(64,), length=50, letters=20),
    "training-long-100": Sizes(32, dynamics=(64,), length=100, letters=4),
    "training-long-256": Sizes(32, dynamics=(64,), length=256, letters=32),
}


def measure(step, seconds, iterations_per_step=1):
    """Iterations per second, the fastest iteration in seconds, the last loss, and the most memory of the process in bytes."""
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
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"rate": count / (now - start), "fastest": fastest, "loss": loss, "memory": memory}
