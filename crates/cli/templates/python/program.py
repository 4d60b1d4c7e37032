import hashlib
import sys
import time

for line in sys.stdin:
    text = line.rstrip("\n")
    start = time.perf_counter_ns()
    result = hashlib.sha512(text.encode()).hexdigest()
    print(time.perf_counter_ns() - start, result, sep="\t", flush=True)
