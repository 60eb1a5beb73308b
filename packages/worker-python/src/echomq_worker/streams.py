"""One stream after the other: each is asked for, and followed by another when it ends."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from echomq.v1.worker_stream_pb2 import WorkOpened, WorkRequest

from .connection import Connection
from .status import Facts
from .stream import Stream

_FIRST_BACKOFF = 0.1
_LAST_BACKOFF = 10.0
# A stream that lived so long was a good one: the next backoff begins anew.
_GOOD_STREAM = 5.0


@dataclass
class Attempt:
    """A stream that was asked for, and how that went."""

    stream: Stream
    opened: WorkOpened | None
    """The gateway's first words; None: the stream did not come about, its facts tell why."""
    began: float
    window: int
    """What its open asks for."""


class Streams:
    """At most two at once: the live one, and the one that is to follow it."""

    def __init__(
        self, connection: Connection, room: Callable[[], int], first: Callable[[int], WorkRequest]
    ) -> None:
        """`first` makes the first message, with the window that `room` gives."""
        self._connection = connection
        self._room = room
        self._first = first
        self._asked: Stream | None = None
        self._moving: asyncio.Task[Attempt] | None = None
        self._wake = asyncio.Event()
        self._stopping = False
        self.failures = 0

    @property
    def moving(self) -> bool:
        """Another one is on its way. What ends the old one then says nothing of the session."""
        return self._moving is not None

    async def next(self) -> Attempt:
        """The stream that follows, whether it is asked for already or not."""
        if self._moving is None:
            return await self._ask()
        attempt = await self._moving
        self._moving = None
        return attempt

    def move(self, old: Stream) -> None:
        """Asks for another one until there is one; the old one serves meanwhile, and is left."""
        if self._moving is None:
            self._moving = asyncio.create_task(self._follow(old))

    def stop(self, up: bool, needed: bool) -> None:
        """The worker stops. What is asked for is given up unless it is `needed` and none is up."""
        self._stopping = True
        self._wake.set()
        if self._asked and (up or not needed):
            self._asked.leave()

    def leave(self) -> None:
        """Breaks off what is asked for."""
        if self._asked:
            self._asked.leave()
        if self._moving:
            self._moving.cancel()

    async def back_off(self, facts: Facts, lived: float) -> None:
        """Waits before the next one: random, below a bound that doubles."""
        self.failures = 1 if lived > _GOOD_STREAM else self.failures + 1
        self._wake.clear()
        await _either(self._wake, _backoff(self.failures, facts))

    async def _ask(self) -> Attempt:
        stream, window, began = Stream(self._connection), self._room(), time.monotonic()
        self._asked = stream
        opened = None
        try:
            opened = await stream.open(self._first(window))
        finally:
            self._asked = None
            if opened is None:
                await stream.close()
        return Attempt(stream, opened, began, window)

    async def _follow(self, old: Stream) -> Attempt:
        failures = 0
        while True:
            attempt = await self._ask()
            if attempt.opened or old.closed.is_set() or self._stopping:
                if attempt.opened:
                    old.leave()
                return attempt
            failures += 1
            await _either(old.closed, _backoff(failures, attempt.stream.facts))
            if self._stopping:
                return attempt


def _backoff(failures: int, facts: Facts) -> float:
    bound = min(_LAST_BACKOFF, _FIRST_BACKOFF * 2 ** min(failures - 1, 10))
    return max(random.uniform(0, bound), facts.retry_after or 0)


async def _either(event: asyncio.Event, seconds: float) -> None:
    """Until the event, and at most so long."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
