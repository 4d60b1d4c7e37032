import hashlib
import json
import os
from pathlib import Path

import grpc

import auth_pb2
import auth_pb2_grpc

USERS = Path(os.environ.get("DATA_DIR", "")) / "user.json"


class Auth(auth_pb2_grpc.AuthServicer):
    def Test(self, request, context):
        users = json.loads(USERS.read_bytes())
        if not any(user["id"] == request.id for user in users):
            context.abort(grpc.StatusCode.NOT_FOUND, "no such user")
        return auth_pb2.ResponseBody(hash=hashlib.sha512(request.password.encode()).hexdigest())
