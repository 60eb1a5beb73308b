"""A process with several workers, and its end."""

import asyncio
import os
import signal
from unittest import IsolatedAsyncioTestCase

from fake_gateway import FakeGateway

from echomq_worker import Connection, Job, Worker, serve


class ServeTest(IsolatedAsyncioTestCase):
    async def test_ends_all_its_workers_on_a_signal(self) -> None:
        async def handle(_: Job) -> object:
            return None

        async with FakeGateway() as gateway:
            connection = Connection(gateway.address)
            workers = [Worker(connection, queue, handle) for queue in ("one", "two")]
            serving = asyncio.create_task(serve(*workers, timeout=0.1))
            streams = [await gateway.stream() for _ in workers]
            await asyncio.gather(*(each.ready.wait() for each in workers))
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(serving, 20)
            for stream in streams:
                await asyncio.wait_for(stream.half_closed.wait(), 20)
