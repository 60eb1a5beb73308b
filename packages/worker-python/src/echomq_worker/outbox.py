"""What leaves on a stream, in order."""

import asyncio
from collections import deque

from echomq.v1.worker_stream_pb2 import WorkReports, WorkRequest

FEATURE = "reportBatches"
"""What both sides name that read several reports, or their answers, in a message."""

_MAX_TOGETHER = 100
# A report that weighs more leaves alone: a hundred of the others stay below the bound of a message.
_LIGHT_BYTES = 16_384


class Outbox:
    """Reports that wait one behind the other leave in one message where the gateway reads that."""

    def __init__(self) -> None:
        self.together = False
        """The gateway reads several reports at once."""
        self._waiting: deque[WorkRequest | None] = deque()
        self._more = asyncio.Event()

    def put(self, message: WorkRequest | None) -> None:
        """None: nothing follows."""
        self._waiting.append(message)
        self._more.set()

    async def take(self) -> WorkRequest | None:
        """What leaves next; None: nothing follows."""
        while not self._waiting:
            self._more.clear()
            await self._more.wait()
        first = self._waiting.popleft()
        if first is None or not self.together or not _is_light(first):
            return first
        reports = [first.report]
        while self._waiting and _is_light(self._waiting[0]) and len(reports) < _MAX_TOGETHER:
            if message := self._waiting.popleft():
                reports.append(message.report)
        return first if len(reports) == 1 else WorkRequest(reports=WorkReports(reports=reports))


def _is_light(message: WorkRequest | None) -> bool:
    return bool(message and message.HasField("report") and message.ByteSize() <= _LIGHT_BYTES)
