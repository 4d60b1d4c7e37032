import time
from typing import Annotated

from fastapi import FastAPI, Path
from fastapi.responses import PlainTextResponse

from users import Credentials, PasswordHash, load_users, set_password

app = FastAPI()


@app.get("/wait/{ms}", response_class=PlainTextResponse)
def wait(ms: Annotated[int, Path(ge=0, le=60_000)]):
    time.sleep(ms / 1000)
    return f"waited {ms}"


@app.put("/users/{user_id}")
def update_user(user_id: int, credentials: Credentials) -> PasswordHash:
    return set_password(load_users(), user_id, credentials.password)
