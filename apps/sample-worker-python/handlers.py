"""What the jobs of the sample are about; the name of a job says what is to be done."""

import asyncio
import hashlib
from pathlib import Path

from echomq_worker import Job, NonRetryableError, RawJson


async def handle(job: Job) -> object:
    """One queue holds jobs of several names."""
    match job.name:
        case "checksum":
            return await asyncio.to_thread(checksum, Path(job.data["path"]))
        case "flaky":
            return flaky(job.data["failures"], job.attempt)
        case "slow":
            return await slow(job)
        case "echo":
            return echo(job)
        case "doomed":
            raise NonRetryableError("this job never succeeds")
        case name:
            raise NonRetryableError(f'no handler for "{name}"')


def checksum(path: Path) -> dict[str, object]:
    """Reads a file piece by piece, so that its size does not matter."""
    digest, size, lines = hashlib.sha256(), 0, 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
            size += len(chunk)
            lines += chunk.count(b"\n")
    return {"bytes": size, "lines": lines, "sha256": digest.hexdigest()}


def flaky(failures: int, attempt: int) -> dict[str, int]:
    """Fails so often before it succeeds; how often it is tried again, the producer has said."""
    if attempt <= failures:
        raise RuntimeError(f"failure {attempt} of {failures}")
    return {"attempts": attempt}


async def slow(job: Job) -> dict[str, float]:
    """Takes its time and says how far it is."""
    ms = job.data["ms"]
    for share in range(10, 101, 10):
        await asyncio.sleep(ms / 10_000)
        job.progress(share)
    return {"ms": ms}


def echo(job: Job) -> RawJson:
    """What comes is what goes back, byte for byte; what is no JSON fails here."""
    _ = job.data
    return RawJson(job.raw_data)
