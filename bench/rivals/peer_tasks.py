"""The tasks of the benchmark `peers`, shared by the scripts of all peers. The values are those of bench/workloads/peer-training.ts.

The environments have no noise. Batch size, learning rates and the two hidden layers are the defaults of the peers."""

# Balance, and dimensions and side of a grid (None: strings of 8 letters out of 4).
TASKS = {
    "tfbind8-tb": ("tb", None),
    "grid-2d-8-tb": ("tb", (2, 8)),
    "grid-2d-8-db": ("db", (2, 8)),
    "grid-4d-16-tb": ("tb", (4, 16)),
    "grid-4d-16-db": ("db", (4, 16)),
}
BATCH = 16
RATE, LOG_Z_RATE = 1e-3, 1e-1
# Iterations before the measurement, after which the trajectories on grids have settled to a length. Their number is fixed, so that
# all sides are measured in the same stage of training.
SETTLING_ITERATIONS = 300
R0, R1, R2 = 1e-3, 0.5, 2.0


def arguments(argv):
    """Balance, grid, hidden width and seconds of the command line TASK HIDDEN SECONDS THREADS."""
    task, hidden, seconds, threads = argv[1:5]
    if threads != "1":
        raise SystemExit(f"ValueError: THREADS must be 1, got {threads}")
    return *TASKS[task.removeprefix("peer-")], int(hidden), float(seconds)
