"""Limits JAX to one thread. Must be imported before JAX: without these variables XLA uses all cores."""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["NPROC"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
