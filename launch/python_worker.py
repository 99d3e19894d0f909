"""A worker for `gflownet design PROBLEM --queue FILE` whose oracle is a Python function.

    pip install bullmq              # for a queue on PostgreSQL: pip install 'bullmq[postgres]'
    python python_worker.py queue.json problem.yaml my_oracle [slots]

`my_oracle` is a module on Python's path with a function score(string) that returns a number. The problem file must be the
same, byte for byte, as that of the design. The function runs in processes of its own, so that this one can renew the locks
of the units that it runs.
"""

import asyncio
import hashlib
import hmac
import importlib
import json
import math
import os
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from urllib.parse import parse_qsl, urlsplit

from bullmq import Worker


def answer(module, strings):
    """Scores strings in a process of the pool. An error is the failure of its string."""
    score = importlib.import_module(module).score
    start, answers = time.perf_counter(), {}
    for string in strings:
        try:
            value = float(score(string))
            answers[string] = {"score": value} if math.isfinite(value) else {"failure": f"the score is {value}"}
        except Exception as error:
            answers[string] = {"failure": str(error) or type(error).__name__}
    return {"answers": answers, "seconds": time.perf_counter() - start}


def stored_result(job_id, version, record, key):
    """The result as the design expects it, signed if the queue has a key."""
    provenance = {"engine": None, "instructions": "python", "threads": 1, "version": version}
    text = json.dumps({"provenance": provenance, "records": [record]}, sort_keys=True)
    signature = hmac.new(key.encode(), f"{job_id}\n{text}".encode(), hashlib.sha256).hexdigest() if key else ""
    return {"text": text, "signature": signature}


def read_queue(file):
    """The options of BullMQ, and the key of the queue file."""
    with open(file, encoding="utf8") as content:
        given = json.load(content)
    url = urlsplit(given["url"])
    password = given.get("password") or url.password or os.environ.get("GFLOWNET_QUEUE_PASSWORD")
    namespace = given.get("namespace", "gflownet")
    if url.scheme in ("postgres", "postgresql"):
        from psycopg.conninfo import make_conninfo

        connection = make_conninfo(
            **{"host": url.hostname, "port": url.port or 5432, "user": url.username, "password": password},
            **{"dbname": url.path[1:] or "gflownet", **dict(parse_qsl(url.query))},  # sslmode
        )
        options = {"backend": "postgres", "connection": connection, "schema": namespace}
    else:
        connection = {"host": url.hostname, "port": url.port or 6379, "db": int(url.path[1:] or 0)}
        connection |= {"username": url.username, "password": password, "ssl": url.scheme == "rediss"}
        options = {"connection": connection, "prefix": namespace}
    return options, given.get("key") or os.environ.get("GFLOWNET_QUEUE_KEY")


async def main(queue_file, problem_file, module, slots=1):
    options, key = read_queue(queue_file)
    with open(problem_file, "rb") as content:
        problem = hashlib.sha256(content.read()).hexdigest()
    pool = ProcessPoolExecutor(int(slots))

    async def process(job, token):
        text = job.data["payload"]
        if hashlib.sha256(text.encode()).hexdigest() != job.id:
            raise ValueError("the unit must have the SHA-256 of its text as its id")
        unit = json.loads(text)
        if unit["kind"] != "oracle-batch" or unit["inputs"] != {"problem": problem}:
            raise ValueError("this worker only scores strings of its own problem file")
        strings = unit["settings"]["strings"]
        record = await asyncio.get_running_loop().run_in_executor(pool, answer, module, strings)
        return stored_result(job.id, unit["version"], record, key)

    limits = {"concurrency": int(slots), "lockDuration": 10_000, "stalledInterval": 5_000, "maxStalledCount": 2}
    worker = Worker(f"oracle-{problem}", process, {**options, **limits})
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    print(f"Scoring strings of {problem_file} by {module}.score. Ctrl-C ends it.", flush=True)
    await stop.wait()
    await worker.close()  # waits for the strings that it is scoring


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.path.insert(0, os.getcwd())
    asyncio.run(main(*sys.argv[1:]))
