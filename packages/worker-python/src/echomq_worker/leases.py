"""What the gateway's words about a lease come down to."""

from typing import Literal

from echomq.v1 import worker_session_pb2 as session
from echomq.v1 import worker_stream_pb2 as wire

Fate = Literal["lost", "cancel", "recall", "held"]

_SIGNALS: dict[int, Fate] = {
    wire.JOB_SIGNAL_KIND_LOCK_LOST: "lost",
    wire.JOB_SIGNAL_KIND_REMOVED: "lost",
    wire.JOB_SIGNAL_KIND_LOCK_MAX_LIFETIME: "lost",
    wire.JOB_SIGNAL_KIND_CANCEL_REQUESTED: "cancel",
    wire.JOB_SIGNAL_KIND_RECALL: "recall",
}
_STATUSES: dict[int, Fate] = {
    session.LEASE_STATUS_LOST: "lost",
    session.LEASE_STATUS_NOT_OWNED: "lost",
    session.LEASE_STATUS_NOT_FOUND: "lost",
    session.LEASE_STATUS_CANCEL_REQUESTED: "cancel",
}


def fate_of_signal(kind: int) -> Fate:
    """Kinds from a newer gateway change nothing."""
    return _SIGNALS.get(kind, "held")


def fate_of_status(status: int) -> Fate:
    """Statuses from a newer gateway change nothing."""
    return _STATUSES.get(status, "held")
