import httpx

from kit.serve import in_threads, serve

client = httpx.Client()


def get(url, out):
    with client.stream("GET", url) as response:
        response.raise_for_status()
        if response.status_code != 200:
            raise httpx.HTTPError(f"status {response.status_code}")
        with open(out, "wb") as file:
            for chunk in response.iter_bytes():
                file.write(chunk)


serve(get, in_threads(get))
