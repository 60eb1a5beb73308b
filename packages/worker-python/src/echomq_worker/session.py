"""Who works: what a session tells the gateway of itself."""

import os
import socket
import uuid

from echomq.v1 import worker_session_pb2 as pb
from echomq.v1 import worker_stream_pb2 as wire

from .job import duration
from .options import Options
from .outbox import FEATURE
from .runs import Runs

VERSION = "0.1.0"


class Session:
    """Outlives streams; each has the next epoch."""

    def __init__(self, queue: str, options: Options) -> None:
        self._queue = queue
        self._options = options
        host = socket.gethostname()
        worker_id = options.worker_id or f"{host}:{os.getpid()}"
        self.info = pb.WorkerInfo(
            worker_id=worker_id,
            session_id=str(uuid.uuid4()),
            name=options.name or worker_id,
            sdk=pb.SdkInfo(language="python", version=VERSION),
            host=host,
            pid=os.getpid(),
            labels=options.labels,
        )
        self._epoch = 0
        self._seq = 0

    def restart(self) -> None:
        """The gateway wants no more of the old one."""
        self.info.session_id = str(uuid.uuid4())
        self._epoch = 0

    def open(self, window: int, runs: Runs, acked_through: int) -> wire.WorkRequest:
        """The first message of a stream."""
        epoch, self._epoch = self._epoch, self._epoch + 1
        lock = self._options.lock_duration
        subscription = wire.Subscription(
            queue=self._queue,
            max_in_flight=window,
            lock_duration=None if lock is None else duration(lock),
        )
        return wire.WorkRequest(
            open=wire.WorkOpen(
                worker=self.info,
                subscriptions=[subscription],
                held=[run.delivered.lease for run in runs.held()],
                epoch=epoch,
                load=self._load(runs),
                acked_through=acked_through,
                features=[FEATURE],
            )
        )

    @property
    def seq(self) -> int:
        """Of the last heartbeat. It never falls: two streams may be open at once."""
        return self._seq

    def heartbeat(self, runs: Runs, acked_through: int) -> wire.WorkRequest:
        """Says that the worker lives, and all that it holds."""
        self._seq += 1
        return wire.WorkRequest(
            heartbeat=wire.WorkHeartbeat(
                seq=self._seq,
                held=wire.HeldSet(jobs=runs.named()),
                acked_through=acked_through,
                load=self._load(runs),
            )
        )

    def window(self, size: int) -> wire.WorkRequest:
        """Asks for so many jobs at once."""
        return wire.WorkRequest(window=wire.WorkWindow(queue=self._queue, max_in_flight=size))

    def _load(self, runs: Runs) -> pb.WorkerLoad:
        return pb.WorkerLoad(running=runs.running, capacity=self._options.concurrency)
