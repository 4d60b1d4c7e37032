import asyncio
import random
from enum import IntEnum, IntFlag
from typing import Annotated

from asyncer import asyncify
from fastapi import FastAPI, HTTPException, Path, Query, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from users import Credentials, PasswordHash, load_users, set_password


class Bet(BaseModel):
    bet: bool


class Outcome(BaseModel):
    win: bool


class Factor(IntEnum):
    A = 2
    B = 3
    C = 4


class Echoed(BaseModel):
    Name: str
    Sum: int


class Bits(IntFlag):
    A = 1
    B = 2
    C = 4
    D = 8


class Flagged(BaseModel):
    Flags: int


class Summed(BaseModel):
    Sum: int


app = FastAPI()


@app.get("/", response_class=Response)
async def index():
    return Response()


@app.get("/user/{user_id}", response_class=PlainTextResponse)
async def get_user(user_id: str):
    return user_id


@app.post("/user", response_class=Response)
async def create_user():
    return Response()


@app.post("/coin")
async def coin(bet: Bet) -> Outcome:
    draw = random.random() < 0.5
    return Outcome(win=draw == bet.bet)


@app.get("/wait/{ms}", response_class=PlainTextResponse)
async def wait(ms: Annotated[int, Path(ge=0, le=60_000)]):
    await asyncio.sleep(ms / 1000)
    return f"waited {ms}"


@app.get("/Perf/Echo")
async def echo(
    name: str,
    x: int,
    y: int,
    e: Factor,
    size: Annotated[int, Query(ge=0, le=16 * 1024 * 1024)] = 0,
) -> Echoed:
    echoed = Echoed(Name=name, Sum=(x + y) * e)
    if size:
        echoed.Name += "x" * (size - len(echoed.model_dump_json().encode()))
    return echoed


@app.put("/users/{user_id}")
async def update_user(user_id: int, credentials: Credentials) -> PasswordHash:
    users = await asyncify(load_users)()
    return set_password(users, user_id, credentials.password)


@app.get("/Perf/Flags")
async def flags(f: Bits) -> Flagged:
    return Flagged(Flags=f)


@app.get("/Perf/Array")
async def array(a: Annotated[list[int], Query()]) -> Summed:
    return Summed(Sum=sum(a))


@app.get("/Perf/Void")
async def void() -> None:
    pass


@app.get("/Perf/Status")
async def status(code: int) -> None:
    raise HTTPException(status_code=code)


@app.get("/Perf/Throw")
async def throw() -> None:
    raise RuntimeError("velo-secret-detail")
