import json
import random

NO_CONTENT_TYPE = []
TEXT = [(b"content-type", b"text/plain; charset=utf-8")]
JSON = [(b"content-type", b"application/json")]


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


async def read_body(receive):
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body
