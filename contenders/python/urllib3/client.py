import shutil

import urllib3

from kit.serve import in_threads, serve

pool = urllib3.PoolManager()


def get(url, out):
    with pool.request("GET", url, preload_content=False) as response:
        if response.status != 200:
            raise urllib3.exceptions.HTTPError(f"status {response.status}")
        with open(out, "wb") as file:
            shutil.copyfileobj(response, file)


serve(get, in_threads(get))
