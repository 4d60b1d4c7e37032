"""A server for scripts/interop-grpc.sh: grpcio. Method One gives x-echo of a call's metadata back. It ends in order on SIGTERM, and then
prints how many messages it has received and sent, and how many calls it has ended itself with each status.

    python server.py PORT [CERT KEY]
"""

import collections
import signal
import sys
import threading
import time
from concurrent import futures
from pathlib import Path

import grpc

import numbers_pb2
import numbers_pb2_grpc

CODES = {code.value[0]: code for code in grpc.StatusCode}
lock = threading.Lock()
counted = collections.Counter()


def count(*names):
    with lock:
        counted.update(names)


def answer(ask):
    return numbers_pb2.Answer(number=ask.number, padding=bytes(ask.padding))


class Numbers(numbers_pb2_grpc.NumbersServicer):
    def One(self, request, context):
        count("received")
        time.sleep(request.wait_ms / 1000)
        if not context.is_active():
            return numbers_pb2.Answer()
        count(request.status)
        echo = [pair for pair in context.invocation_metadata() if pair[0] == "x-echo"]
        if echo:
            context.send_initial_metadata(echo)
        if request.status:
            context.abort(CODES[request.status], "as was asked")
        count("sent")
        return answer(request)

    def Down(self, request, context):
        count("received")
        for _ in range(request.count):
            count("sent")
            yield answer(request)
        count(0)

    def Up(self, request_iterator, context):
        total = numbers_pb2.Answer()
        for ask in request_iterator:
            count("received")
            total.number += ask.number
            total.count += 1
        count(0, "sent")
        return total

    def Both(self, request_iterator, context):
        for ask in request_iterator:
            count("received", "sent")
            yield answer(ask)
        count(0)


def main():
    port, *pair = sys.argv[1:]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=64))
    numbers_pb2_grpc.add_NumbersServicer_to_server(Numbers(), server)
    if pair:
        cert, key = (Path(path).read_bytes() for path in pair)
        server.add_secure_port(f"127.0.0.1:{port}", grpc.ssl_server_credentials([(key, cert)]))
    else:
        server.add_insecure_port(f"127.0.0.1:{port}")
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    server.start()
    asked.wait()
    server.stop(10).wait()
    ended = [f"{code}:{counted[code]}" for code in CODES if counted[code]]
    print("counted", counted["received"], counted["sent"], *ended, flush=True)


main()
