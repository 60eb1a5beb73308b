"""What the worker knows of its leases without being told that one is lost."""

import time

LOOK_EVERY = 0.05
"""Seconds between two looks at the leases."""


class Evidence:
    """A heartbeat that was answered has kept the leases from the moment at which it was sent."""

    def __init__(self) -> None:
        self._lock = float("inf")
        self._kept_at = 0.0
        self._sent: dict[int, float] = {}

    def opened(self, began: float, lock: float) -> None:
        """The gateway has kept what it has not rejected since the stream began."""
        self._lock = lock
        self._sent.clear()
        self._kept_at = max(self._kept_at, began)

    def sent(self, seq: int) -> None:
        """A heartbeat leaves."""
        self._sent[seq] = time.monotonic()

    def answered(self, seq: int) -> None:
        """A heartbeat was answered."""
        self._kept_at = max(self._kept_at, self._sent.get(seq, 0.0))
        self._sent = {other: at for other, at in self._sent.items() if other > seq}

    def may_be_over(self, delivered_at: float) -> bool:
        """Whether somebody else may hold what was delivered then, whatever the gateway knows."""
        return time.monotonic() - max(self._kept_at, delivered_at) >= self._lock
