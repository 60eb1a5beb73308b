"""A worker: one session over as many streams as it takes."""

import asyncio
import logging
import os
import random
import signal
import socket
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from echomq.v1.job_pb2 import DeliveredJob
from echomq.v1.worker_session_pb2 import (
    LeaseStatus,
    SdkInfo,
    WorkerDirective,
    WorkerDirectiveAction,
    WorkerInfo,
    WorkerLoad,
)
from echomq.v1.worker_stream_pb2 import (
    HeldJob,
    HeldSet,
    JobSignal,
    JobSignalKind,
    Subscription,
    WorkDrain,
    WorkHeartbeat,
    WorkLogs,
    WorkOpen,
    WorkOpened,
    WorkProgress,
    WorkRequest,
    WorkResponse,
    WorkWindow,
)

from .connection import MAX_MESSAGE_BYTES, Connection
from .job import Job, duration
from .reports import ReportBox
from .run import RELEASE, Handler, Run, outcome_of
from .status import OVER, Facts
from .stream import Stream

VERSION = "0.1.0"

log = logging.getLogger("echomq_worker")

_LOST_LEASES = (
    LeaseStatus.LEASE_STATUS_LOST,
    LeaseStatus.LEASE_STATUS_NOT_OWNED,
    LeaseStatus.LEASE_STATUS_NOT_FOUND,
)
_LOST_SIGNALS = (
    JobSignalKind.JOB_SIGNAL_KIND_LOCK_LOST,
    JobSignalKind.JOB_SIGNAL_KIND_REMOVED,
    JobSignalKind.JOB_SIGNAL_KIND_LOCK_MAX_LIFETIME,
)
_FIRST_BACKOFF = 0.1
_LAST_BACKOFF = 10.0
# A stream that lived so long was a good one: the next backoff begins anew.
_GOOD_STREAM = 5.0
# A handler of a lost job has so long to stop before the window shrinks by its place.
_STOP_GRACE = 0.5
# Reports may wait so long for their answers after the last handler has ended.
_ANSWER_LIMIT = 30.0


@dataclass(frozen=True)
class Options:
    """How a worker works; the defaults suit most."""

    concurrency: int = 4
    """Handlers at once."""
    buffer: int = 0
    """Jobs beyond the concurrency that may wait here."""
    lock_duration: float | None = None
    """Seconds after which the jobs of a dead worker are free; None: the gateway's default."""
    name: str = ""
    """For people; stored with the jobs that it takes. Empty: worker_id."""
    worker_id: str = ""
    """Stable name that many sessions may share. Empty: host and process."""
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.buffer < 0:
            raise ValueError("concurrency is at least 1, buffer at least 0")


class Worker:
    """Takes jobs of a queue and gives them to a handler, until `stop`."""

    def __init__(
        self, connection: Connection, queue: str, handler: Handler, options: Options | None = None
    ) -> None:
        self._connection = connection
        self._queue = queue
        self._handler = handler
        self._options = options or Options()
        self._host = socket.gethostname()
        self.worker_id = self._options.worker_id or f"{self._host}:{os.getpid()}"
        self.name = self._options.name or self.worker_id
        self.ready = asyncio.Event()
        """Set once the first stream is open."""
        self._session_id = str(uuid.uuid4())
        self._epoch = 0
        self._seq = 0
        self._runs: dict[str, Run] = {}
        self._active: set[Run] = set()
        self._reports = ReportBox(self._send, self._ended)
        self._stream: Stream | None = None
        self._up = False
        self._taking = True
        self._stopping = False
        self._leaving = False
        self._moving = False
        self._window = 0
        self._failures = 0
        self._wake = asyncio.Event()
        self._timers: list[asyncio.Handle] = []
        self._beating: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Works until `stop` has come to its end. Broken streams are followed by others."""
        while not (self._stopping and not self._runs):
            started = time.monotonic()
            facts = await self._one_stream()
            if self._stopping and not self._runs:
                break
            if facts.reason in OVER:
                self._session_id = str(uuid.uuid4())
                self._epoch = 0
                self._reports.restart()
            if not self._moving:
                log.info("%s: stream ended: %s %s", self.name, facts.reason, facts.message)
                await self._back_off(facts, time.monotonic() - started)

    async def run_until_signal(self, timeout: float = 10.0) -> None:
        """`run`, and `stop` on SIGTERM or SIGINT. The second signal ends the process."""
        loop = asyncio.get_running_loop()
        stopping: list[asyncio.Task[None]] = []

        def on_signal() -> None:
            for name in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(name)
            stopping.append(asyncio.create_task(self.stop(timeout)))

        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, on_signal)
        await self.run()
        await asyncio.gather(*stopping)

    async def stop(self, timeout: float = 10.0) -> None:
        """
        Takes no more, lets handlers end, and gives back what has not ended after `timeout` seconds.
        `run` returns when every report is answered.
        """
        self._stopping = True
        self._take(False)
        for run in self._in("buffered"):
            self._reports.report(run, RELEASE)
        self._leave_if_done()
        if self._active:
            await asyncio.wait([run.task for run in self._active if run.task], timeout=timeout)
        for run in self._in("running"):
            run.stop = "released"
            if run.task:
                run.task.cancel()
        until = time.monotonic() + _ANSWER_LIMIT
        while self._runs and time.monotonic() < until:
            await asyncio.sleep(0.05)
        if self._runs:
            log.error("%s: %d jobs without an answer at the end", self.name, len(self._runs))
            self._runs.clear()
            if self._stream:
                self._stream.leave()
        self._wake.set()

    async def _one_stream(self) -> Facts:
        stream = self._stream = Stream(self._connection)
        self._up = self._leaving = self._moving = False
        self._taking = not self._stopping
        stream.send(WorkRequest(open=self._open()))
        try:
            async for message in stream.messages():
                self._received(message)
        finally:
            self._up = False
            self._stream = None
            for timer in self._timers:
                timer.cancel()
            self._timers.clear()
            if self._beating:
                self._beating.cancel()
            await stream.close()
        return stream.facts

    def _open(self) -> WorkOpen:
        # What has not begun went back when the stream before this one ended.
        for run in self._in("buffered"):
            del self._runs[run.token]
        epoch, self._epoch = self._epoch, self._epoch + 1
        self._seq = 0
        self._window = self._wanted_window()
        lock = self._options.lock_duration
        subscription = Subscription(
            queue=self._queue,
            max_in_flight=self._window,
            lock_duration=None if lock is None else duration(lock),
        )
        return WorkOpen(
            worker=WorkerInfo(
                worker_id=self.worker_id,
                session_id=self._session_id,
                name=self.name,
                sdk=SdkInfo(language="python", version=VERSION),
                host=self._host,
                pid=os.getpid(),
                labels=self._options.labels,
            ),
            subscriptions=[subscription],
            held=[run.delivered.lease for run in self._runs.values()],
            epoch=epoch,
            load=self._load(),
            acked_through=self._reports.acked_through,
        )

    async def _back_off(self, facts: Facts, lived: float) -> None:
        self._failures = 1 if lived > _GOOD_STREAM else self._failures + 1
        bound = min(_LAST_BACKOFF, _FIRST_BACKOFF * 2 ** min(self._failures - 1, 10))
        seconds = max(random.uniform(0, bound), facts.retry_after or 0)
        if self._wake.is_set():
            return
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return

    def _received(self, message: WorkResponse) -> None:
        match message.WhichOneof("message"):
            case "opened":
                self._opened(message.opened)
            case "delivery":
                self._delivered(message.delivery.jobs)
            case "report_ack":
                self._failures = 0
                self._reports.answered(message.report_ack)
            case "job_signal":
                self._signalled(message.job_signal)
            case "heartbeat_ack":
                for renewal in message.heartbeat_ack.leases:
                    self._renewed(renewal.lease_token, renewal.status)
            case "directive":
                self._directed(message.directive)
            # Keepalives only show that the gateway lives; others are from a newer one.

    def _opened(self, opened: WorkOpened) -> None:
        assert self._stream
        self._up = True
        self._stream.silence_limit = opened.keepalive_interval.ToNanoseconds() / 1e9 * 2.5
        for renewal in opened.rejected:
            self._lose(self._runs.get(renewal.lease_token))
        interval = opened.heartbeat_interval.ToNanoseconds() / 1e9 / 2
        self._beating = asyncio.create_task(self._beat(interval))
        self._heartbeat()
        self._reports.resend()
        self._update_window()
        self._leave_if_done()
        self.ready.set()

    def _delivered(self, jobs: list[DeliveredJob] | object) -> None:
        ...
