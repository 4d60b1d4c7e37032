import hashlib
import importlib
import os
import sys
import time

loads = importlib.import_module(sys.argv[1]).loads


def update_user(user_id, password):
    with open(os.path.join(os.environ["DATA_DIR"], "user.json"), "rb") as file:
        users = loads(file.read())
    if not any(user["id"] == user_id for user in users):
        return "absent"
    return hashlib.sha512(password).hexdigest()


for line in sys.stdin.buffer:
    user_id, password = line.rstrip(b"\n").split(b"\t")
    user_id = int(user_id)
    began = time.perf_counter_ns()
    result = update_user(user_id, password)
    elapsed = time.perf_counter_ns() - began
    print(f"{elapsed}\t{result}", flush=True)
