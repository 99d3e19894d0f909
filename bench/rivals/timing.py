"""What every rival of training does, and how it is timed: a warm-up that is left out, then iterations until the time is
over."""

import time

# Episodes, those of them that follow strings drawn uniformly, whether there is a memory, hidden widths of the dynamics
# (None: as the policy's). As bench/workloads/training-iteration.ts has them.
TRAININGS = {
    "training-default": (128, 64, True, (16,)),
    "training-plain": (32, 0, False, None),
    "training-thought": (32, 0, False, None),
}


def measure(step, seconds):
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
        fastest = min(fastest, now - before)
        count += 1
    return {"rate": count / (now - start), "fastest": fastest, "loss": loss}
