"""What a handler sees of a job, and how it says that a job ends otherwise than by a result."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.duration_pb2 import Duration

from echomq.v1.job_pb2 import DeliveredJob
from echomq.v1.outcome_pb2 import (
    AwaitChildrenOutcome,
    DelayOutcome,
    JobOutcome,
    RateLimitedOutcome,
    ReleaseOutcome,
)

from .log_lines import batches


class NonRetryableError(Exception):
    """Fails the job for good, whatever attempts it has left."""


class GiveBack(Exception):
    """Ends the run without success or failure. Raise one of its subclasses."""

    def outcome(self) -> JobOutcome:
        raise NotImplementedError


class ReleaseJob(GiveBack):
    """The job goes back as if it had not been taken; no attempt is counted."""

    def outcome(self) -> JobOutcome:
        return JobOutcome(release=ReleaseOutcome(to_front=True))


class DelayJob(GiveBack):
    """The job runs again after `seconds`; counted as no attempt if `skip_attempt`."""

    def __init__(self, seconds: float, skip_attempt: bool = False) -> None:
        super().__init__(f"delayed by {seconds} s")
        self.seconds = seconds
        self.skip_attempt = skip_attempt

    def outcome(self) -> JobOutcome:
        delay = duration(self.seconds)
        return JobOutcome(delay=DelayOutcome(delay=delay, skip_attempt=self.skip_attempt))


class AwaitChildren(GiveBack):
    """The job runs again when its children have finished."""

    def outcome(self) -> JobOutcome:
        return JobOutcome(await_children=AwaitChildrenOutcome())


class RateLimited(GiveBack):
    """The job goes back, and the queue hands nothing out for `seconds`, to no worker."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"rate limited for {seconds} s")
        self.seconds = seconds

    def outcome(self) -> JobOutcome:
        return JobOutcome(rate_limited=RateLimitedOutcome(duration=duration(self.seconds)))


@dataclass(frozen=True)
class RawJson:
    """A result that is JSON text already, stored byte for byte."""

    text: bytes


@dataclass(frozen=True)
class Job:
    """A job in the hands of a handler."""

    delivered: DeliveredJob
    """The message as it came."""
    raw_data: bytes
    """The payload, byte for byte."""
    _send_progress: Callable[[bytes], None]
    _send_logs: Callable[[list[str]], None]
    _max_json: Callable[[], int]

    @property
    def id(self) -> str:
        return self.delivered.lease.job_id

    @property
    def queue(self) -> str:
        return self.delivered.lease.queue

    @property
    def name(self) -> str:
        return self.delivered.name

    @property
    def attempt(self) -> int:
        """The attempt that runs now, from 1."""
        return self.delivered.attempt

    @property
    def headers(self) -> Mapping[str, str]:
        return self.delivered.headers

    @property
    def data(self) -> Any:
        """The payload, parsed. Raises ValueError where it is no JSON in UTF-8."""
        return json.loads(self.raw_data.decode("utf-8"))

    @property
    def last_progress(self) -> Any:
        """What an earlier run left; None if there is nothing."""
        return json.loads(self.delivered.last_progress or b"null")

    def progress(self, value: object) -> None:
        """Sets the progress, anything that is JSON. Sent and forgotten."""
        self._send_progress(to_json(value, self._max_json()))

    def log(self, *lines: str) -> None:
        """Appends lines to the job's log, of each 64 KiB at most. Sent and forgotten."""
        for batch in batches(lines):
            self._send_logs(batch)


def to_json(value: object, most: int) -> bytes:
    """UTF-8 JSON. Raises TypeError or ValueError for what JSON has not (NaN), and for too much."""
    text = value.text if isinstance(value, RawJson) else _dumped(value)
    if len(text) > most:
        raise ValueError(f"the JSON has {len(text)} bytes, too many for a message")
    return text


def _dumped(value: object) -> bytes:
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()
    except UnicodeEncodeError:  # Half of a surrogate pair: UTF-8 has none, an escape does.
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def duration(seconds: float) -> Duration:
    """Seconds as the contract has them."""
    whole = Duration()
    whole.FromNanoseconds(round(seconds * 1e9))
    return whole
