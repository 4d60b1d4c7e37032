import asyncio
import random
from typing import Annotated

from asyncer import asyncify
from fastapi import FastAPI, Path, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from users import Credentials, PasswordHash, load_users, set_password


class Bet(BaseModel):
    bet: bool


class Outcome(BaseModel):
    win: bool


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


@app.put("/users/{user_id}")
async def update_user(user_id: int, credentials: Credentials) -> PasswordHash:
    users = await asyncify(load_users)()
    return set_password(users, user_id, credentials.password)
