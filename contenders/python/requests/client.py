import requests

from kit.serve import serve

session = requests.Session()


def get(url, out):
    with session.get(url, stream=True) as response:
        response.raise_for_status()
        if response.status_code != 200:
            raise requests.HTTPError(f"status {response.status_code}")
        with open(out, "wb") as file:
            for chunk in response.iter_content(chunk_size=64 * 1024):
                file.write(chunk)


serve(get)
