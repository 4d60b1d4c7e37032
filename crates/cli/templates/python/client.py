import http.client
import os
import shutil
import sys
import time
from urllib.parse import urlsplit

connection = None


def save(url, out):
    global connection
    parts = urlsplit(url)
    if connection is None:
        connection = http.client.HTTPConnection(parts.netloc)
    try:
        connection.request("GET", parts.path)
        response = connection.getresponse()
        if response.status != 200:
            raise OSError(f"status {response.status}")
        with open(out, "wb") as file:
            shutil.copyfileobj(response, file)
    except Exception:
        connection.close()
        raise


for line in sys.stdin:
    url, out = line.rstrip("\n").split("\t")
    start = time.perf_counter_ns()
    try:
        save(url, out)
        print(time.perf_counter_ns() - start, os.path.getsize(out), sep="\t", flush=True)
    except Exception as error:
        words = " ".join(str(error).split())
        print(time.perf_counter_ns() - start, f"error: {words}", sep="\t", flush=True)
