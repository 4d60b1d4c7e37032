import random

from fastapi import FastAPI, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel


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
