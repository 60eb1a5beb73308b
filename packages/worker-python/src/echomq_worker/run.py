"""One delivery of a job, from its arrival to its report."""

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from echomq.v1.job_pb2 import DeliveredJob
from echomq.v1.outcome_pb2 import (
    CompleteOutcome,
    FailOutcome,
    JobOutcome,
    ReleaseOutcome,
    RetryMode,
)

from .job import GiveBack, Job, NonRetryableError, to_json

Handler = Callable[[Job], Awaitable[object]]

RELEASE = JobOutcome(release=ReleaseOutcome(to_front=True))

_MAX_NAME = 128
_MAX_MESSAGE = 4_096
_MAX_STACK = 8_192


@dataclass(eq=False)
class Run:
    """Told apart by its token: the same job may be here twice."""

    delivered: DeliveredJob
    state: Literal["buffered", "running", "reported", "lost"] = "buffered"
    stop: str = ""
    """Why the handler is being stopped while the lease still holds: cancelled or released."""
    refused: bool = False
    """The gateway has refused an outcome already."""
    since: float = field(default_factory=time.monotonic)
    """When it was delivered."""
    task: asyncio.Task[JobOutcome] | None = field(default=None, repr=False)

    @property
    def begun(self) -> bool:
        """Its handler has begun; what is given back unbegun has not."""
        return self.task is not None or self.state == "running"

    @property
    def token(self) -> str:
        return self.delivered.lease.lease_token

    @property
    def job_id(self) -> str:
        return self.delivered.lease.job_id


async def outcome_of(
    run: Run, handler: Handler, job: Callable[[], Awaitable[Job]], max_json: Callable[[], int]
) -> JobOutcome:
    """Runs the handler to its end, whatever that is: the worker outlives also `sys.exit`."""
    try:
        return completed(await handler(await job()), max_json())
    except asyncio.CancelledError as error:
        if run.stop == "released":
            return RELEASE
        message = "cancelled" if run.stop == "cancelled" else "the handler was cancelled"
        return failure(error, message)
    except GiveBack as wish:
        return given_back(wish)
    except NonRetryableError as error:
        return failure(error, retry=RetryMode.RETRY_MODE_NEVER)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return failure(error)


def completed(result: object, max_json: int) -> JobOutcome:
    """The run has had its effects: where only its result cannot be kept, another would not help."""
    try:
        return JobOutcome(complete=CompleteOutcome(return_value=to_json(result, max_json)))
    except Exception as error:
        return failure(error, retry=RetryMode.RETRY_MODE_NEVER)


def given_back(wish: GiveBack) -> JobOutcome:
    """As the handler wishes; a failure where that is nothing that can be said."""
    try:
        return wish.outcome()
    except Exception as error:
        return failure(error)


def failure(
    error: BaseException, message: str = "", retry: RetryMode = RetryMode.RETRY_MODE_DEFAULT
) -> JobOutcome:
    """A failed attempt; whether another follows, the server decides."""
    text = message or _text_of(error) or type(error).__name__
    stack = "".join(traceback.format_exception(error))[-_MAX_STACK:]
    return JobOutcome(
        fail=FailOutcome(
            error_name=type(error).__name__[:_MAX_NAME],
            message=_clean(text)[:_MAX_MESSAGE],
            stack=_clean(stack).splitlines(),
            retry=retry,
        )
    )


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # An error of the user's, whose text is one too.
        return ""


def _clean(text: str) -> str:
    """Protobuf takes whole characters only."""
    return text.encode("utf-8", "replace").decode("utf-8")
