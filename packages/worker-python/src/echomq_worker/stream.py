"""One Work stream, over a connection of its own."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio

from echomq.v1.job_pb2 import JobLease
from echomq.v1.worker_pb2 import GetJobDataRequest
from echomq.v1.worker_service_pb2_grpc import WorkerServiceStub
from echomq.v1.worker_stream_pb2 import WorkOpened, WorkRequest, WorkResponse

from .connection import Connection
from .job import ReleaseJob
from .outbox import FEATURE, Outbox
from .status import DETAILS_KEY, Facts, facts_of_end

_OPENED_WITHIN = 10.0
_LOOK_EVERY = 0.1
_ASLEEP = 1.0
_READ_FIRST = 0.25
_NOT_NOW = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


class Stream:
    """Messages go out in the order in which they were sent; `facts` tells how it ended."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._channel = connection.open()
        self._stub: Any = WorkerServiceStub(self._channel)  # Generated without types.
        self._call: Any = None
        self._watcher: asyncio.Task[None] | None = None
        self.closed = asyncio.Event()
        self._outbox = Outbox()
        self._silent = 0.0
        self._looked_at = time.monotonic()
        self._read_until = 0.0
        self.silence_limit = _OPENED_WITHIN
        """Seconds without a message after which the stream is dead, whatever TCP says."""
        self.facts = Facts(grpc.StatusCode.CANCELLED.value[0], "", "left", None)

    def send(self, message: WorkRequest) -> None:
        self._outbox.put(message)

    def half_close(self) -> None:
        self._outbox.put(None)

    def leave(self) -> None:
        """Breaks it off; what comes back is not read any more."""
        if self._call:
            self._call.cancel()

    async def open(self, first: WorkRequest) -> WorkOpened | None:
        """Says the first words and waits for the gateway's; None: it did not come about."""
        self.send(first)
        self._call = self._stub.Work(self._requests(), metadata=self._connection.metadata())
        self._watcher = asyncio.create_task(self._watch())
        async for message in self.messages():
            if message.HasField("opened"):
                server = message.opened.server_info
                self._outbox.together = server.capabilities.get(FEATURE, False)
                return message.opened
        return None

    async def messages(self) -> AsyncIterator[WorkResponse]:
        """What the gateway says, to the end of the stream."""
        while (message := await self._read()) is not None:
            self._silent = 0.0
            yield message

    async def close(self) -> None:
        """Ends it, and gives the connection up."""
        if self._watcher:
            self._watcher.cancel()
        self.leave()
        self.half_close()  # Else the library would wait for messages for ever.
        self.closed.set()
        await self._channel.close(None)

    async def _read(self) -> WorkResponse | None:
        try:
            message: Any = await self._call.read()
        except asyncio.CancelledError:
            if self._call.done():  # Left, by us; not the task that reads.
                return None
            raise
        except grpc.aio.AioRpcError as error:
            trailers: Any = error.trailing_metadata()
            details = trailers.get(DETAILS_KEY) if trailers else None
            code, text = error.code().value[0], error.details() or ""
            self.facts = facts_of_end(code, text, details)
            return None
        if not isinstance(message, WorkResponse):  # grpc.aio.EOF
            self.facts = Facts(0, "", "", None)
            return None
        return message

    async def _requests(self) -> AsyncIterator[WorkRequest]:
        while (message := await self._outbox.take()) is not None:
            # A write to a stream that the gateway has ended hides why it did. After a sleep of the
            # process the end may be here, unread: first let what has come be read.
            late = time.monotonic() - self._looked_at > _ASLEEP
            if late or time.monotonic() < self._read_until:
                await asyncio.sleep(_READ_FIRST)
            yield message

    async def _watch(self) -> None:
        # Counted, not measured: a process that was stopped first reads what has come meanwhile.
        while self._silent <= self.silence_limit:
            self._looked_at = time.monotonic()
            await asyncio.sleep(_LOOK_EVERY)
            if time.monotonic() - self._looked_at > _ASLEEP:
                self._read_until = time.monotonic() + _READ_FIRST
            self._silent += _LOOK_EVERY
        self._call.cancel()


async def read_data(connection: Connection, lease: JobLease) -> bytes:
    """
    The payload that a delivery has left out. Over its own channel: it outlives streams. Where it
    cannot be had just now the job goes back, no attempt counted.
    """
    async with connection.open() as channel:
        stub: Any = WorkerServiceStub(channel)
        request = GetJobDataRequest(lease=lease)
        parts = stub.GetJobData(request, metadata=connection.metadata(), timeout=60)
        try:
            return b"".join([part.chunk async for part in parts])
        except grpc.aio.AioRpcError as error:
            if error.code() in _NOT_NOW:
                raise ReleaseJob from error
            raise
