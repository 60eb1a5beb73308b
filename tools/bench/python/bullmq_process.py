"""A worker by the bullmq package of PyPI. Arguments: URL of Redis, queue, concurrency."""

import asyncio
import sys

from bullmq import Job, Worker

from tally import Tally, asked_to_end, say_ready

url, queue, concurrency = sys.argv[1:]
tally = Tally()


async def process(job: Job, token: str) -> None:
    tally.add(job.data["n"])


async def main() -> None:
    ended = asked_to_end()
    say_ready()
    worker = Worker(queue, process, {"connection": url, "concurrency": int(concurrency)})
    await ended.wait()
    await worker.close()


asyncio.run(main())
