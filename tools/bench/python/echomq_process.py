"""A worker by EchoMQ's helper, through a gateway. Arguments: address, queue, concurrency."""

import asyncio
import sys

from echomq_worker import Connection, Job, Options, Worker
from tally import Tally, asked_to_end, say_ready

address, queue, concurrency = sys.argv[1:]
tally = Tally()


async def handle(job: Job) -> None:
    tally.add(job.data["n"])


async def main() -> None:
    ended = asked_to_end()
    worker = Worker(Connection(address), queue, handle, Options(concurrency=int(concurrency)))
    say_ready()
    running = asyncio.create_task(worker.run())
    await ended.wait()
    await worker.stop(10)
    await running


asyncio.run(main())
