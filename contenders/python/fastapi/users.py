import hashlib
import json
import os
from pathlib import Path

from fastapi import HTTPException
from pydantic import BaseModel


class Credentials(BaseModel):
    password: str


class PasswordHash(BaseModel):
    hash: str


def load_users() -> list[dict]:
    path = Path(os.environ["DATA_DIR"]) / "user.json"
    return json.loads(path.read_bytes())


def set_password(users: list[dict], user_id: int, password: str) -> PasswordHash:
    if not any(user["id"] == user_id for user in users):
        raise HTTPException(status_code=404, detail="User not found")
    return PasswordHash(hash=hashlib.sha512(password.encode()).hexdigest())
