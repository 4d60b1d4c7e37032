"""Reads lines "URL TAB OUT" and answers each when its file is saved."""

import os
import sys
import time


def serve(get):
    """Answers with nanoseconds and bytes, or with nanoseconds and what went wrong."""
    for line in sys.stdin:
        url, out = line.rstrip("\n").split("\t")
        began = time.perf_counter_ns()
        try:
            get(url, out)
        except Exception as error:
            elapsed = time.perf_counter_ns() - began
            words = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"{elapsed}\terror: {words}", flush=True)
            continue
        elapsed = time.perf_counter_ns() - began
        print(f"{elapsed}\t{os.path.getsize(out)}", flush=True)
