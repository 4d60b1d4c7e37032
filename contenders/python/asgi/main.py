import asyncio
import hashlib
import json
import os
import random
import re
from urllib.parse import parse_qs

NO_CONTENT_TYPE = []
TEXT = [(b"content-type", b"text/plain; charset=utf-8")]
JSON = [(b"content-type", b"application/json")]

WHOLE_NUMBER = re.compile("[0-9]{1,18}")
INTEGER = re.compile("-?[0-9]{1,18}")

LARGEST_ECHO = 16 * 1024 * 1024


async def app(scope, receive, send):
    # The specification asks an application to raise for what it does not speak; uvicorn then starts without lifespan.
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    status, headers, body = await answer(scope, receive)
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def answer(scope, receive):
    method, path = scope["method"], scope["path"]
    if method == "GET" and path == "/":
        return 200, NO_CONTENT_TYPE, b""
    if method == "GET" and path.startswith("/user/"):
        user_id = path.removeprefix("/user/")
        if user_id and "/" not in user_id:
            return 200, TEXT, user_id.encode()
    if method == "POST" and path == "/user":
        return 200, NO_CONTENT_TYPE, b""
    if method == "POST" and path == "/coin":
        return coin(await read_body(receive))
    if method == "GET" and path.startswith("/wait/"):
        return await wait(path.removeprefix("/wait/"))
    if method == "GET" and path == "/Perf/Echo":
        return echo(scope["query_string"])
    if method == "PUT" and path.startswith("/users/"):
        return await update_user(path.removeprefix("/users/"), await read_body(receive))
    if method == "GET" and path.startswith("/Perf/"):
        return perform(path.removeprefix("/Perf/"), scope["query_string"])
    return 404, NO_CONTENT_TYPE, b""


def coin(body):
    try:
        bet = json.loads(body)["bet"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return 400, NO_CONTENT_TYPE, b""
    if not isinstance(bet, bool):
        return 400, NO_CONTENT_TYPE, b""
    draw = random.random() < 0.5
    return 200, JSON, json.dumps({"win": draw == bet}).encode()


async def wait(ms):
    if not WHOLE_NUMBER.fullmatch(ms) or int(ms) > 60_000:
        return 400, NO_CONTENT_TYPE, b""
    await asyncio.sleep(int(ms) / 1000)
    return 200, TEXT, f"waited {ms}".encode()


def echo(query_string):
    query = parse_qs(query_string.decode("latin-1"), keep_blank_values=True)
    try:
        name = query["name"][0]
        x, y, e = (integer(query[key][0]) for key in ("x", "y", "e"))
        size = integer(query.get("size", ["0"])[0])
    except (LookupError, ValueError):
        return 400, NO_CONTENT_TYPE, b""
    if e not in (2, 3, 4) or size > LARGEST_ECHO:
        return 400, NO_CONTENT_TYPE, b""
    echoed = {"Name": name, "Sum": (x + y) * e}
    body = json.dumps(echoed).encode()
    if len(body) < size:
        echoed["Name"] += "x" * (size - len(body))
        body = json.dumps(echoed).encode()
    return 200, JSON, body


def perform(operation, query_string):
    query = parse_qs(query_string.decode("latin-1"), keep_blank_values=True)
    try:
        match operation:
            case "Flags":
                return 200, JSON, json.dumps({"Flags": integer(query["f"][0])}).encode()
            case "Array":
                return 200, JSON, json.dumps({"Sum": sum(map(integer, query.get("a", [])))}).encode()
            case "Void":
                return 200, NO_CONTENT_TYPE, b""
            case "Status":
                return integer(query["code"][0]), NO_CONTENT_TYPE, b""
    except (LookupError, ValueError):
        return 400, NO_CONTENT_TYPE, b""
    if operation == "Throw":
        raise RuntimeError("velo-secret-detail")
    return 404, NO_CONTENT_TYPE, b""


def integer(text):
    if not INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)


async def update_user(user_id, body):
    if not WHOLE_NUMBER.fullmatch(user_id):
        return 400, NO_CONTENT_TYPE, b""
    try:
        password = json.loads(body)["password"].encode()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return 400, NO_CONTENT_TYPE, b""
    users = await asyncio.to_thread(load_users)
    if not any(user["id"] == int(user_id) for user in users):
        return 404, NO_CONTENT_TYPE, b""
    return 200, JSON, json.dumps({"hash": hashlib.sha512(password).hexdigest()}).encode()


def load_users():
    with open(os.path.join(os.environ["DATA_DIR"], "user.json"), "rb") as file:
        return json.load(file)


async def read_body(receive):
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body
