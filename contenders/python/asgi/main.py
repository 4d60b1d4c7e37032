import asyncio
import hashlib
import json
import os
import random
import re

NO_CONTENT_TYPE = []
TEXT = [(b"content-type", b"text/plain; charset=utf-8")]
JSON = [(b"content-type", b"application/json")]

WHOLE_NUMBER = re.compile("[0-9]{1,18}")


async def app(scope, receive, send):
    # The specification asks an application to raise for what it does not speak; uvicorn then starts without lifespan.
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    status, headers, body = await answer(scope["method"], scope["path"], receive)
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def answer(method, path, receive):
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
    if method == "PUT" and path.startswith("/users/"):
        return await update_user(path.removeprefix("/users/"), await read_body(receive))
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
