import pycurl

from kit.serve import serve

curl = pycurl.Curl()
curl.setopt(curl.FAILONERROR, True)


def get(url, out):
    with open(out, "wb") as file:
        curl.setopt(curl.URL, url)
        curl.setopt(curl.WRITEDATA, file)
        curl.perform()
    status = curl.getinfo(curl.RESPONSE_CODE)
    if status != 200:
        raise OSError(f"status {status}")


serve(get)
