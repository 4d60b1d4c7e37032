"""The same services on grpc.aio."""

import asyncio
import hashlib
import json
import os
import random
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
    async def Index(self, request, context):
        return void_pb2.Empty()

    async def Get(self, request, context):
        return void_pb2.UserId(id=request.id)

    async def Create(self, request, context):
        return void_pb2.Empty()


class Coin(coin_pb2_grpc.CoinServicer):
    async def Toss(self, request, context):
        if not request.HasField("bet"):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "bet is missing")
        draw = random.random() < 0.5
        return coin_pb2.Outcome(win=draw == request.bet)


class Auth(auth_pb2_grpc.AuthServicer):
    async def Test(self, request, context):
        users = await asyncio.to_thread(lambda: json.loads(USERS.read_bytes()))
        if not any(user["id"] == request.id for user in users):
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such user")
        return auth_pb2.ResponseBody(hash=hashlib.sha512(request.password.encode()).hexdigest())


async def serve():
    server = grpc.aio.server()
    void_pb2_grpc.add_UserServicer_to_server(User(), server)
    coin_pb2_grpc.add_CoinServicer_to_server(Coin(), server)
    auth_pb2_grpc.add_AuthServicer_to_server(Auth(), server)
    address = f"{os.environ['HOST']}:{os.environ['PORT']}"
    if certificate := os.environ.get("TLS_CERT"):
        pair = (Path(os.environ["TLS_KEY"]).read_bytes(), Path(certificate).read_bytes())
        server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
    else:
        server.add_insecure_port(address)
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(serve())
