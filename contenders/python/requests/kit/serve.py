"""Reads lines "URL TAB OUT" and answers each when its file is saved; a line may hold several such pairs."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

AT_ONCE = int(os.environ.get("AT_ONCE", "1"))


def in_threads(get):
    """Fetches several files with as many threads as may fetch at once."""
    pool = ThreadPoolExecutor(AT_ONCE)

    def get_all(pairs):
        # The results are None; to take them raises what a thread has raised.
        list(pool.map(lambda pair: get(*pair), pairs))

    return get_all


def serve(get, get_all=None):
    """Answers with nanoseconds and bytes, or with nanoseconds and what went wrong."""
    for line in sys.stdin:
        fields = line.rstrip("\n").split("\t")
        pairs = list(zip(fields[::2], fields[1::2], strict=True))
        began = time.perf_counter_ns()
        try:
            if len(pairs) == 1:
                get(*pairs[0])
            elif get_all:
                get_all(pairs)
            else:
                raise NotImplementedError(f"{len(pairs)} files in a line")
        except Exception as error:
            elapsed = time.perf_counter_ns() - began
            words = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"{elapsed}\terror: {words}", flush=True)
            continue
        elapsed = time.perf_counter_ns() - began
        print(f"{elapsed}\t{sum(os.path.getsize(out) for _, out in pairs)}", flush=True)
