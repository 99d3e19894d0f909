"""How every rival is timed: a warm-up that is left out, then iterations until the time is over."""

import time


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
