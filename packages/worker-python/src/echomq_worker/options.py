"""How a worker works."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """The defaults suit most."""

    concurrency: int = 4
    """Handlers at once."""
    buffer: int = 0
    """Jobs beyond the concurrency that may wait here; the gateway may recall them."""
    lock_duration: float | None = None
    """Seconds after which the jobs of a dead worker are free; None: the gateway's default."""
    name: str = ""
    """For people; stored with the jobs that it takes. Empty: the worker id."""
    worker_id: str = ""
    """Stable name that many sessions may share. Empty: host and process."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Listed with the worker."""

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.buffer < 0:
            raise ValueError("concurrency is at least 1, buffer at least 0")
        if self.lock_duration is not None and not 1 <= self.lock_duration <= 3_600:
            raise ValueError("lock_duration is 1 to 3600 seconds")
