"""The reports of a session that have no answer."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from echomq.v1.outcome_pb2 import AwaitChildrenOutcome, FailOutcome, JobOutcome, RetryMode
from echomq.v1.worker_stream_pb2 import WorkReport, WorkReportAck, WorkRequest

from .run import Run
from .status import Facts, facts_of

log = logging.getLogger("echomq_worker")

# The lease is over, or the job is elsewhere: final.
_GONE = frozenset({"LOCK_LOST", "LOCK_NOT_OWNED", "JOB_NOT_FOUND", "JOB_NOT_IN_STATE"})
# What may have been stored or could not be told: the same report again is safe.
_AGAIN = frozenset({"OUTCOME_UNKNOWN", "BACKEND_UNAVAILABLE", "DEADLINE_EXCEEDED"})
_AGAIN_SECONDS = 1.0


@dataclass
class _Entry:
    report: WorkReport
    run: Run
    waiting: asyncio.TimerHandle | None = None


class ReportBox:
    """Numbers reports, repeats them, and follows their answers."""

    def __init__(self, send: Callable[[WorkRequest], None], on_done: Callable[[Run], None]) -> None:
        self._send = send
        self._on_done = on_done
        self._entries: dict[int, _Entry] = {}
        self._next = 1

    @property
    def acked_through(self) -> int:
        """All reports up to this one are answered."""
        return min(self._entries, default=self._next) - 1

    def report(self, run: Run, outcome: JobOutcome) -> None:
        """Ends the hold of a job."""
        run.state = "reported"
        self._send(WorkRequest(report=self._enter(run, outcome).report))

    def resend(self) -> None:
        """A new stream is up: all that has no answer, unchanged, but for what has to wait."""
        for entry in list(self._entries.values()):
            if entry.waiting is None:
                self._send(WorkRequest(report=entry.report))

    def restart(self) -> None:
        """A new session: numbers begin anew. Nothing is sent before its stream is up."""
        old = list(self._entries.values())
        self._entries.clear()
        self._next = 1
        for entry in old:
            if entry.waiting:
                entry.waiting.cancel()
            self._enter(entry.run, entry.report.outcome)

    def answered(self, ack: WorkReportAck) -> None:
        """The gateway has answered a report."""
        entry = self._entries.get(ack.report_id)
        kind = ack.WhichOneof("outcome")
        if entry is None or kind is None:
            return
        facts = facts_of(ack.error) if kind == "error" else None
        if facts and (facts.retry_after is not None or facts.reason in _AGAIN):
            seconds = _AGAIN_SECONDS if facts.retry_after is None else facts.retry_after
            entry.waiting = asyncio.get_running_loop().call_later(seconds, self._again, entry)
            return
        del self._entries[ack.report_id]
        follows = self._after_refusal(entry, facts) if facts else None
        if follows:
            self.report(entry.run, follows)
        else:
            self._on_done(entry.run)

    def _again(self, entry: _Entry) -> None:
        entry.waiting = None
        if self._entries.get(entry.report.report_id) is entry:
            self._send(WorkRequest(report=entry.report))

    def _after_refusal(self, entry: _Entry, facts: Facts) -> JobOutcome | None:
        if facts.reason in _GONE:
            return None
        if facts.reason == "JOB_HAS_PENDING_CHILDREN":
            return JobOutcome(await_children=AwaitChildrenOutcome())
        if entry.run.refused:  # The lock lapses, and the job goes to somebody else.
            log.error("report of job %s refused twice: %s", entry.run.job_id, facts.message)
            return None
        entry.run.refused = True
        succeeded = entry.report.outcome.WhichOneof("kind") == "complete"
        final = succeeded and facts.reason != "JOB_HAS_FAILED_CHILDREN"
        message = f"the gateway refused the outcome: {facts.reason or facts.message}"
        retry = RetryMode.RETRY_MODE_NEVER if final else RetryMode.RETRY_MODE_DEFAULT
        fail = FailOutcome(error_name="RefusedOutcome", message=message, retry=retry)
        return JobOutcome(fail=fail)

    def _enter(self, run: Run, outcome: JobOutcome) -> _Entry:
        acked = self.acked_through
        report = WorkReport(
            report_id=self._next, acked_through=acked, lease=run.delivered.lease, outcome=outcome
        )
        entry = _Entry(report, run)
        self._entries[self._next] = entry
        self._next += 1
        return entry
