"""Works on checksum, flaky, slow, echo and doomed jobs."""

import argparse
import asyncio
import logging

from echomq_worker import Connection, Options, Worker, serve
from handlers import handle


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", default="127.0.0.1:50051", help="the gateway")
    parser.add_argument("--queue", default="demo", help="the queue")
    parser.add_argument("--concurrency", type=int, default=4, help="jobs at once")
    parser.add_argument("--name", default="", help="what the worker is called")
    parser.add_argument("--lock-duration", type=int, help="ms until a dead worker's jobs are free")
    flags = parser.parse_args()

    lock = flags.lock_duration / 1_000 if flags.lock_duration else None
    options = Options(concurrency=flags.concurrency, name=flags.name, lock_duration=lock)
    worker = Worker(Connection(flags.address), flags.queue, handle, options)

    async def announce() -> None:
        await worker.ready.wait()
        print(f'{worker.name}: works on "{flags.queue}" at {flags.address}', flush=True)

    announcing = asyncio.create_task(announce())
    await serve(worker)
    announcing.cancel()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main())
