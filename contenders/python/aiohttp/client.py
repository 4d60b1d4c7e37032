import asyncio

import aiohttp

from kit.serve import AT_ONCE, serve

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


async def fetch_all(pairs):
    slots = asyncio.Semaphore(AT_ONCE)

    async def fetch_one(url, out):
        async with slots:
            await fetch(url, out)

    async with asyncio.TaskGroup() as group:
        for pair in pairs:
            group.create_task(fetch_one(*pair))


serve(
    lambda url, out: loop.run_until_complete(fetch(url, out)),
    lambda pairs: loop.run_until_complete(fetch_all(pairs)),
)
loop.run_until_complete(session.close())
