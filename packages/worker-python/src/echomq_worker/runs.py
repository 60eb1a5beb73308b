"""The jobs in a worker's hands."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial

from echomq.v1.job_pb2 import DeliveredJob
from echomq.v1.outcome_pb2 import JobOutcome
from echomq.v1.worker_stream_pb2 import HeldJob

from .run import RELEASE, Run, failure

Execute = Callable[[Run], Coroutine[None, None, JobOutcome]]
Report = Callable[[Run, JobOutcome], None]


class Runs:
    """Keeps no more handlers running than the concurrency says."""

    def __init__(self, concurrency: int, execute: Execute, report: Report) -> None:
        self._concurrency = concurrency
        self._execute = execute
        self._report = report
        self._held: dict[str, Run] = {}
        self._active: set[Run] = set()
        self.accept: Callable[[], None] = lambda: None
        """Sends a heartbeat; called before handlers begin."""
        self.on_idle_slot: Callable[[], None] = lambda: None
        """Called when a handler has ended."""

    def __len__(self) -> int:
        return len(self._held)

    @property
    def running(self) -> int:
        """Handlers alive, those of lost jobs included."""
        return len(self._active)

    @property
    def zombies(self) -> int:
        """Handlers of lost jobs that have not stopped yet."""
        return sum(run.state == "lost" for run in self._active)

    def held(self) -> list[Run]:
        """All that was delivered and has not ended."""
        return list(self._held.values())

    def named(self) -> list[HeldJob]:
        """The same as heartbeats say it."""
        return [HeldJob(lease_token=t, running=r.begun) for t, r in self._held.items()]

    def tasks(self) -> list[asyncio.Task[JobOutcome]]:
        return [run.task for run in self._active if run.task]

    def add(self, jobs: Iterable[DeliveredJob], taking: bool) -> None:
        """Takes what was delivered, or gives it back where nothing is taken any more."""
        for job in jobs:
            run = Run(job)
            self._held[run.token] = run
            if not taking:
                self._report(run, RELEASE)
        if not self.begin():
            self.accept()

    def begin(self) -> bool:
        """Starts as many as may run; the heartbeat that says so goes first. False: none."""
        free = max(0, self._concurrency - len(self._active))
        first = self._in("buffered")[:free]
        for run in first:
            run.state = "running"
            self._active.add(run)
        if first:
            self.accept()
        for run in first:
            run.task = asyncio.create_task(self._execute(run))
            run.task.add_done_callback(partial(self._done, run))
        return bool(first)

    def end(self, run: Run) -> None:
        """Its report was answered."""
        self._held.pop(run.token, None)

    def forget_buffered(self) -> None:
        """The stream is gone, and with it what had not begun."""
        for run in self._in("buffered"):
            del self._held[run.token]

    def release_buffered(self) -> None:
        """Gives back what has not begun."""
        for run in self._in("buffered"):
            self._report(run, RELEASE)

    def release_running(self) -> None:
        """Stops all handlers and gives their jobs back."""
        for run in self._in("running"):
            self._stop(run, "released")

    def recall(self, token: str) -> None:
        """The gateway wants the job back unless it has begun."""
        run = self._held.get(token)
        if run and run.state == "buffered":
            self._report(run, RELEASE)

    def cancel(self, token: str) -> None:
        """Somebody asked to cancel the job."""
        run = self._held.get(token)
        if run and run.state == "running":
            self._stop(run, "cancelled")
        elif run and run.state == "buffered":
            self._report(run, failure(asyncio.CancelledError(), "cancelled"))

    def lose(self, token: str) -> None:
        """The lease is over: nothing is reported, the handler is stopped."""
        run = self._held.get(token)
        if not run or run.state == "reported":  # The report's answer will say it.
            return
        del self._held[token]
        run.state = "lost"
        if run.task:
            run.task.cancel()

    def lapse(self, over: Callable[[float], bool]) -> list[str]:
        """The tokens of runs without a report whose leases are over by the worker's own clock."""
        open_runs = self._in("buffered") + self._in("running")
        return [run.token for run in open_runs if over(run.since)]

    def lose_all(self) -> None:
        """Gives everything up."""
        for token in list(self._held):
            self.lose(token)
        self._held.clear()

    def _in(self, state: str) -> list[Run]:
        return [run for run in self._held.values() if run.state == state]

    def _stop(self, run: Run, why: str) -> None:
        if run.stop or not run.task:
            return
        run.stop = why
        run.task.cancel()

    def _done(self, run: Run, task: asyncio.Task[JobOutcome]) -> None:
        self._active.discard(run)
        if run.state == "running":
            # Cancelled before its first step, the handler was never asked.
            unbegun = RELEASE if run.stop == "released" else failure(asyncio.CancelledError())
            self._report(run, unbegun if task.cancelled() else task.result())
        self.on_idle_slot()
