"""What leaves on a stream, in order."""

import asyncio
from collections import deque

from echomq.v1.worker_stream_pb2 import WorkReports, WorkRequest

FEATURE = "reportBatches"
"""What both sides name that read several reports, or their answers, in a message."""

_MAX_TOGETHER = 100
# A report that weighs more leaves alone.
_LIGHT_BYTES = 16_384
# What the reports of one message weigh at most: every gateway takes so much, whatever the bound of
# a message is there, for that exceeds its largest payload by 64 KiB.
_MAX_BYTES = 49_152
# A tag and a length stand before each report.
_FRAME_BYTES = 8


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
        room = _MAX_BYTES - _weight_of(first)
        if first is None or not self.together or room < _MAX_BYTES - _LIGHT_BYTES:
            return first
        reports = [first.report]
        while self._waiting and len(reports) < _MAX_TOGETHER:
            weight = _weight_of(self._waiting[0])
            if weight > min(room, _LIGHT_BYTES):
                break
            if message := self._waiting.popleft():
                reports.append(message.report)
            room -= weight
        return first if len(reports) == 1 else WorkRequest(reports=WorkReports(reports=reports))


def _weight_of(message: WorkRequest | None) -> int:
    """Bytes of a report; more than any message takes for all else."""
    if message is None or not message.HasField("report"):
        return _MAX_BYTES + 1
    return message.report.ByteSize() + _FRAME_BYTES
