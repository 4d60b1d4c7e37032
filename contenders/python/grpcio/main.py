import hashlib
import json
import os
import random
from concurrent import futures
from pathlib import Path

import grpc

import auth_pb2
import auth_pb2_grpc
import coin_pb2
import coin_pb2_grpc
import void_pb2
import void_pb2_grpc

USERS = Path(os.environ.get("DATA_DIR", "")) / "user.json"


class User(void_pb2_grpc.UserServicer):
    def Index(self, request, context):
        return void_pb2.Empty()

    def Get(self, request, context):
        return void_pb2.UserId(id=request.id)

    def Create(self, request, context):
        return void_pb2.Empty()


class Coin(coin_pb2_grpc.CoinServicer):
    def Toss(self, request, context):
        if not request.HasField("bet"):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "bet is missing")
        draw = random.random() < 0.5
        return coin_pb2.Outcome(win=draw == request.bet)


class Auth(auth_pb2_grpc.AuthServicer):
    def Test(self, request, context):
        users = json.loads(USERS.read_bytes())
        if not any(user["id"] == request.id for user in users):
            context.abort(grpc.StatusCode.NOT_FOUND, "no such user")
        return auth_pb2.ResponseBody(hash=hashlib.sha512(request.password.encode()).hexdigest())


def serve():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=10))
    void_pb2_grpc.add_UserServicer_to_server(User(), server)
    coin_pb2_grpc.add_CoinServicer_to_server(Coin(), server)
    auth_pb2_grpc.add_AuthServicer_to_server(Auth(), server)
    address = f"{os.environ['HOST']}:{os.environ['PORT']}"
    if certificate := os.environ.get("TLS_CERT"):
        pair = (Path(os.environ["TLS_KEY"]).read_bytes(), Path(certificate).read_bytes())
        server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
    else:
        server.add_insecure_port(address)
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    serve()
