"""A worker with the gateway that the test plays."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fake_gateway import FakeGateway, FakeStream

from echomq.v1.gateway_pb2 import ServerInfo
from echomq_worker import (
    AwaitChildren,
    Connection,
    DelayJob,
    GiveBack,
    Job,
    NonRetryableError,
    Options,
    RawJson,
    Worker,
)


class Base(BaseException):
    """What `except Exception` lets through."""


class Mute(Exception):
    """Has no text to be read."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class Stage:
    """A worker, its gateway, and their first stream."""

    def __init__(self, gateway: FakeGateway, worker: Worker, stream: FakeStream) -> None:
        self.gateway, self.worker, self.stream = gateway, worker, stream
        self.begun: asyncio.Queue[Job] = asyncio.Queue()
        self.cancelled: asyncio.Queue[Job] = asyncio.Queue()
        self.go_on = asyncio.Event()

    async def handle(self, job: Job) -> object:
        match job.name:
            case "sum":
                return sum(job.data)
            case "raw":
                return RawJson(job.raw_data)
            case "error":
                raise ValueError("it is wrong")
            case "exit":
                sys.exit("it is over")
            case "base":
                raise Base("beyond Exception")
            case "mute":
                raise Mute
            case "nonsense":
                raise DelayJob(float("nan"))
            case "bare":
                raise GiveBack
            case "final":
                raise NonRetryableError("never")
            case "nan":
                return float("nan")
            case "large":
                return "x" * (5 << 20)
            case "delay":
                raise DelayJob(1.5, skip_attempt=True)
            case "children":
                raise AwaitChildren
            case "thread":
                await self.go_on.wait()
                await asyncio.to_thread(job.progress, "from a thread")
            case "talks":
                job.log(*(f"{n}\ud800" for n in range(150)), "x" * 70_000, "é" * 40_000)
            case "too much":
                job.progress("x" * (5 << 20))
            case "tells":
                job.progress({"half": True})
                job.log("one", "two")
            case "stubborn":
                self.begun.put_nowait(job)
                while not self.go_on.is_set():
                    with suppress(asyncio.CancelledError):
                        await self.go_on.wait()
                return None
        self.begun.put_nowait(job)
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.put_nowait(job)
            raise
        return "done"


@asynccontextmanager
async def stage(
    options: Options | None = None, server_info: ServerInfo | None = None
) -> AsyncIterator[Stage]:
    """Ends the worker well, with nothing in hand."""
    async with FakeGateway() as gateway:
        gateway.server_info = server_info or gateway.server_info
        made: list[Stage] = []

        async def handle(job: Job) -> object:
            return await made[0].handle(job)

        connection = Connection(gateway.address, token="secret")
        worker = Worker(connection, "q", handle, options or Options(concurrency=2, name="it"))
        running = asyncio.create_task(worker.run())
        made.append(Stage(gateway, worker, await gateway.stream()))
        try:
            yield made[0]
        finally:
            await worker.stop(timeout=0.1)
            await asyncio.wait_for(running, 20)
