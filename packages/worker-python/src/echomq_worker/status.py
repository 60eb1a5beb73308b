"""What an error of the gateway says besides its text."""

from dataclasses import dataclass

from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

OVER = frozenset({"WORKER_UNRESPONSIVE", "SESSION_SUPERSEDED"})
"""Reasons after which the gateway wants no more of a session."""

DETAILS_KEY = "grpc-status-details-bin"


@dataclass(frozen=True)
class Facts:
    """The machine-readable part of a status."""

    code: int
    reason: str
    message: str
    retry_after: float | None
    """Seconds; None without RetryInfo."""


def facts_of(status: Status) -> Facts:
    """The facts in a status that came inside a message."""
    reason = ""
    retry_after = None
    for detail in status.details:
        info, retry = ErrorInfo(), RetryInfo()
        if detail.Is(ErrorInfo.DESCRIPTOR) and detail.Unpack(info):
            reason = info.reason
        elif detail.Is(RetryInfo.DESCRIPTOR) and detail.Unpack(retry):
            retry_after = retry.retry_delay.ToNanoseconds() / 1e9
    return Facts(status.code, reason, status.message, retry_after)


def facts_of_end(code: int, text: str, details: bytes | None) -> Facts:
    """The facts with which a call ended; `details` is its trailer, if it has one."""
    if details:
        try:
            return facts_of(Status.FromString(details))
        except DecodeError:
            pass
    return Facts(code, "", text, None)
