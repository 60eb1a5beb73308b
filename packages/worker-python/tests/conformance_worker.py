"""The helper under the conformance suite: with a buffer, so that jobs wait and are recalled."""

import argparse
import asyncio

from echomq_worker import Connection, Job, NonRetryableError, Options, RawJson, Worker, serve


async def handle(job: Job) -> object:
    data = job.data
    match job.name:
        case "echo":
            return RawJson(job.raw_data)
        case "flaky":
            if job.attempt <= data["failures"]:
                raise RuntimeError(f"failure {job.attempt}")
            return {"attempts": job.attempt}
        case "slow":
            for share in range(10, 101, 10):
                await asyncio.sleep(data["ms"] / 10_000)
                job.progress(share)
            job.log("done")
            return {"ms": data["ms"]}
    raise NonRetryableError(f"no handler for {job.name}")


parser = argparse.ArgumentParser()
parser.add_argument("--address")
parser.add_argument("--queue")
parser.add_argument("--concurrency", type=int)
flags = parser.parse_args()
options = Options(concurrency=flags.concurrency, buffer=2)


async def main() -> None:
    await serve(Worker(Connection(flags.address), flags.queue, handle, options))


asyncio.run(main())
