"""A worker: one session over as many streams as it takes."""

import asyncio
import logging
import time

from echomq.v1 import worker_session_pb2 as pb
from echomq.v1 import worker_stream_pb2 as wire
from echomq.v1.outcome_pb2 import JobOutcome

from .connection import Connection, max_json_bytes
from .evidence import LOOK_EVERY, Evidence
from .job import Job
from .leases import Fate, fate_of_signal, fate_of_status
from .options import Options
from .reports import ReportBox
from .run import Handler, Run, outcome_of
from .runs import Runs
from .session import Session
from .status import OVER
from .stream import Stream, read_data
from .streams import Attempt, Streams

log = logging.getLogger("echomq_worker")

# A handler of a lost job has so long to stop before the window shrinks by its place.
_STOP_GRACE = 0.5
# Reports may wait so long for their answers after the last handler has ended.
_ANSWER_LIMIT = 30.0


class Worker:
    """Takes jobs of a queue and gives them to a handler, until `stop`."""

    def __init__(
        self, connection: Connection, queue: str, handler: Handler, options: Options | None = None
    ) -> None:
        self._connection = connection
        self._handler = handler
        self._options = options or Options()
        self._session = Session(queue, self._options)
        self.ready = asyncio.Event()
        """Set once the first stream is open."""
        self._reports = ReportBox(self._send, self._ended)
        self._runs = Runs(self._options.concurrency, self._execute, self._reports.report)
        self._runs.accept = self._heartbeat
        self._runs.on_idle_slot = self._slot_free
        self._streams = Streams(connection, self._room, self._open)
        self._evidence = Evidence()
        self._max_json = max_json_bytes()
        self._stream: Stream | None = None
        self._up = False
        self._window = 0
        self._taking = True
        self._stopping = False
        self._draining = False
        self._left = False
        self._empty = asyncio.Event()
        self._directive: asyncio.TimerHandle | None = None
        self._beating: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        return self._session.info.name

    async def run(self) -> None:
        """Works until `stop` has come to its end. Broken streams are followed by others."""
        watch = asyncio.create_task(self._watch_leases())
        try:
            while not self._over:
                await self._one_stream(await self._streams.next())
        finally:
            watch.cancel()
            self._streams.leave()

    async def stop(self, timeout: float = 10.0) -> None:
        """
        Takes no more, lets handlers end, and gives back what has not ended after `timeout` seconds.
        `run` returns when every report is answered.
        """
        self._stopping = True
        self._take(False)
        self._runs.release_buffered()
        self._leave_if_done()
        self._streams.stop(self._up, needed=bool(self._runs))
        if tasks := self._runs.tasks():
            await asyncio.wait(tasks, timeout=timeout)
        self._runs.release_running()
        self._leave_if_done()
        try:
            await asyncio.wait_for(self._empty.wait(), _ANSWER_LIMIT)
        except TimeoutError:
            log.error("%s: %d jobs left without an answer", self.name, len(self._runs))
            self._runs.lose_all()
            self._streams.stop(up=False, needed=False)
            if self._stream:
                self._stream.leave()

    @property
    def _over(self) -> bool:
        return self._stopping and not self._runs

    async def _one_stream(self, attempt: Attempt) -> None:
        stream = attempt.stream
        if attempt.opened:
            await self._live(attempt, attempt.opened)
        if self._over or self._streams.moving:
            return
        if stream.facts.reason in OVER:
            self._session.restart()
            self._reports.restart()
        log.warning(
            "%s: the stream ended: %s", self.name, stream.facts.reason or stream.facts.message
        )
        await self._streams.back_off(stream.facts, time.monotonic() - attempt.began)

    async def _live(self, attempt: Attempt, opened: wire.WorkOpened) -> None:
        stream = self._stream = attempt.stream
        self._draining = self._left = False
        self._taking = not self._stopping
        self._window = attempt.window
        try:
            self._opened(attempt, opened)
            async for message in stream.messages():
                self._received(stream, message)
        finally:
            self._up = False
            self._stream = None
            for ended in (self._directive, self._beating):
                if ended:
                    ended.cancel()
            await stream.close()

    def _open(self, window: int) -> wire.WorkRequest:
        self._runs.forget_buffered()
        return self._session.open(window, self._runs, self._reports.acked_through)

    def _received(self, stream: Stream, message: wire.WorkResponse) -> None:
        match message.WhichOneof("message"):
            case "delivery":
                self._runs.add(message.delivery.jobs, self._taking)
            case "report_ack":
                self._answered(message.report_ack)
            case "report_acks":
                for ack in message.report_acks.acks:
                    self._answered(ack)
            case "job_signal":
                signal = message.job_signal
                self._tell(signal.lease.lease_token, fate_of_signal(signal.kind))
            case "heartbeat_ack":
                self._evidence.answered(message.heartbeat_ack.seq)
                for renewal in message.heartbeat_ack.leases:
                    self._tell(renewal.lease_token, fate_of_status(renewal.status))
            case "directive":
                after = message.directive.after.ToNanoseconds() / 1e9
                if self._directive:
                    self._directive.cancel()
                loop = asyncio.get_running_loop()
                action = message.directive.action
                self._directive = loop.call_later(after, self._follow, action)
            case _:  # A keepalive, or from a newer gateway: a sign of life.
                pass

    def _answered(self, ack: wire.WorkReportAck) -> None:
        self._streams.failures = 0
        self._reports.answered(ack)

    def _opened(self, attempt: Attempt, opened: wire.WorkOpened) -> None:
        self._up = True
        interval = opened.heartbeat_interval.ToNanoseconds() / 1e9
        self._evidence.opened(attempt.began, interval * 3)
        attempt.stream.silence_limit = opened.keepalive_interval.ToNanoseconds() / 1e9 * 2.5
        self._max_json = max_json_bytes(opened.server_info.limits.max_message_bytes)
        for renewal in opened.rejected:
            self._tell(renewal.lease_token, "lost")
        self._heartbeat()
        self._beating = asyncio.create_task(self._beat(interval / 2))
        self._reports.resend()
        self._update_window()
        self._leave_if_done()
        self.ready.set()

    def _tell(self, token: str, fate: Fate) -> None:
        match fate:
            case "lost":
                self._runs.lose(token)
                asyncio.get_running_loop().call_later(_STOP_GRACE, self._update_window)
            case "cancel":
                self._runs.cancel(token)
            case "recall":
                self._runs.recall(token)

    def _follow(self, action: pb.WorkerDirectiveAction) -> None:
        if self._stopping or not self._stream:
            return
        match action:
            case pb.WORKER_DIRECTIVE_ACTION_RECONNECT:
                # The old one serves what is held until the new one is open.
                self._take(False)
                self._runs.release_buffered()
                self._streams.move(self._stream)
            case pb.WORKER_DIRECTIVE_ACTION_QUIET:
                self._take(False)
            case pb.WORKER_DIRECTIVE_ACTION_DRAIN:
                self._draining = True
                self._take(False)
                self._runs.release_buffered()
                self._leave_if_done()
            case pb.WORKER_DIRECTIVE_ACTION_UNSPECIFIED:
                self._take(not self._streams.moving)

    def _ended(self, run: Run) -> None:
        self._runs.end(run)
        self._leave_if_done()

    def _slot_free(self) -> None:
        self._runs.begin()
        self._update_window()

    def _take(self, taking: bool) -> None:
        self._taking = taking
        self._update_window()

    def _wanted_window(self) -> int:
        return self._room() if self._taking else 0

    def _room(self) -> int:
        """For how many jobs there is room where any are taken."""
        if self._stopping:
            return 0
        return max(0, self._options.concurrency + self._options.buffer - self._runs.zombies)

    def _update_window(self) -> None:
        wanted = self._wanted_window()
        if self._up and wanted != self._window:
            self._window = wanted
            self._send(self._session.window(wanted))

    def _leave_if_done(self) -> None:
        leaving = self._stopping or self._draining
        if self._over:
            self._empty.set()
        if leaving and self._up and self._stream and not self._runs and not self._left:
            self._left = True
            reason = "the worker stops" if self._stopping else "as asked"
            drain = wire.WorkDrain(reason=reason, release_unstarted=True)
            self._send(wire.WorkRequest(drain=drain))
            self._stream.half_close()

    def _heartbeat(self) -> None:
        self._send(self._session.heartbeat(self._runs, self._reports.acked_through))
        self._evidence.sent(self._session.seq)

    async def _watch_leases(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for token in self._runs.lapse(self._evidence.may_be_over):
                self._tell(token, "lost")

    async def _beat(self, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            self._heartbeat()

    def _send(self, message: wire.WorkRequest) -> None:
        if (
            self._up
            and self._stream
            and not (self._left and message.WhichOneof("message") != "drain")
        ):
            self._stream.send(message)

    def _send_while_it_runs(self, run: Run, message: wire.WorkRequest) -> None:
        if run.state == "running":
            self._send(message)

    async def _execute(self, run: Run) -> JobOutcome:
        lease = run.delivered.lease
        loop = asyncio.get_running_loop()

        def send(message: wire.WorkRequest) -> None:  # A handler may be in a thread of its own.
            loop.call_soon_threadsafe(self._send_while_it_runs, run, message)

        def progress(text: bytes) -> None:
            send(wire.WorkRequest(progress=wire.WorkProgress(lease=lease, progress=text)))

        def logs(lines: list[str]) -> None:
            send(wire.WorkRequest(logs=wire.WorkLogs(lease=lease, lines=lines)))

        async def job() -> Job:
            data = run.delivered.data
            if run.delivered.data_omitted:
                data = await read_data(self._connection, lease)
            return Job(run.delivered, data, progress, logs, lambda: self._max_json)

        return await outcome_of(run, self._handler, job, lambda: self._max_json)
