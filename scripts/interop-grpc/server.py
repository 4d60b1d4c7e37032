"""A server for scripts/interop-grpc.sh: grpcio. It ends in order on SIGTERM, and then prints how many calls it has ended itself, and how many
messages it has received and sent.

    python server.py PORT [CERT KEY]
"""

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
counted = {"calls": 0, "received": 0, "sent": 0}


def count(**more):
    with lock:
        for name, number in more.items():
            counted[name] += number


def answer(ask):
    return numbers_pb2.Answer(number=ask.number, padding=bytes(ask.padding))


class Numbers(numbers_pb2_grpc.NumbersServicer):
    def One(self, request, context):
        count(received=1)
        time.sleep(request.wait_ms / 1000)
        if not context.is_active():
            return numbers_pb2.Answer()
        count(calls=1)
        if request.status:
            context.abort(CODES[request.status], "as was asked")
        count(sent=1)
        return answer(request)

    def Down(self, request, context):
        count(received=1)
        for _ in range(request.count):
            count(sent=1)
            yield answer(request)
        count(calls=1)

    def Up(self, request_iterator, context):
        total = numbers_pb2.Answer()
        for ask in request_iterator:
            count(received=1)
            total.number += ask.number
            total.count += 1
        count(calls=1, sent=1)
        return total

    def Both(self, request_iterator, context):
        for ask in request_iterator:
            count(received=1, sent=1)
            yield answer(ask)
        count(calls=1)


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
    print("counted", counted["calls"], counted["received"], counted["sent"], flush=True)


main()
