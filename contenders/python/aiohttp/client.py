import asyncio

import aiohttp

from kit.serve import serve

loop = asyncio.new_event_loop()


async def new_session():
    return aiohttp.ClientSession()


session = loop.run_until_complete(new_session())


async def fetch(url, out):
    async with session.get(url) as response:
        response.raise_for_status()
        if response.status != 200:
            raise aiohttp.ClientError(f"status {response.status}")
        with open(out, "wb") as file:
            async for chunk in response.content.iter_chunked(64 * 1024):
                file.write(chunk)


serve(lambda url, out: loop.run_until_complete(fetch(url, out)))
loop.run_until_complete(session.close())
