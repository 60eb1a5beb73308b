"""A gateway that a test plays by hand: it reads what a worker sends and says what it likes."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from echomq.v1 import worker_stream_pb2 as wire
from echomq.v1.gateway_pb2 import ServerInfo
from echomq.v1.job_pb2 import DeliveredJob, JobLease
from echomq.v1.outcome_pb2 import DISPOSITION_COMPLETED, FinishResult
from echomq.v1.worker_pb2 import GetJobDataRequest, GetJobDataResponse
from echomq.v1.worker_service_pb2_grpc import add_WorkerServiceServicer_to_server

T = TypeVar("T")
LIMIT = 20.0


def refusal(code: int, reason: str, retry_after: float | None = None) -> Status:
    """An error as gateways send it."""
    details = [AnyMessage(), AnyMessage()]
    details[0].Pack(ErrorInfo(domain="echomq", reason=reason))
    if retry_after is not None:
        wait = Duration()
        wait.FromNanoseconds(round(retry_after * 1e9))
        details[1].Pack(RetryInfo(retry_delay=wait))
    return Status(code=code, message=reason, details=details[: 1 if retry_after is None else 2])


class FakeStream:
    """One Work stream, as the gateway sees it."""

    def __init__(self) -> None:
        self.open = wire.WorkOpen()
        self.seen: list[wire.WorkRequest] = []
        self.half_closed = asyncio.Event()
        self.broken = asyncio.Event()
        """It is over, whoever ended it."""
        self.answers_heartbeats = True
        self.metadata: dict[str, str] = {}
        self._changed = asyncio.Condition()
        self._out: asyncio.Queue[wire.WorkResponse | Status | None] = asyncio.Queue()

    async def receive(self, requests: AsyncIterator[wire.WorkRequest]) -> None:
        async for request in requests:
            await self._note(request)
        self.half_closed.set()
        self.end()

    async def _note(self, request: wire.WorkRequest) -> None:
        async with self._changed:
            self.seen.append(request)
            for report in request.reports.reports:  # As if each came by itself.
                self.seen.append(wire.WorkRequest(report=report))
            if request.HasField("heartbeat") and self.answers_heartbeats:
                self.say(heartbeat_ack=wire.WorkHeartbeatAck(seq=request.heartbeat.seq))
            self._changed.notify_all()

    async def first(self, find: Callable[[wire.WorkRequest], T | None]) -> T:
        """What the first message brings that brings anything."""

        def found() -> T | None:
            return next((value for each in self.seen if (value := find(each)) is not None), None)

        async with asyncio.timeout(LIMIT), self._changed:
            while (value := found()) is None:
                await self._changed.wait()
            return value

    async def report(self, job: DeliveredJob) -> wire.WorkReport:
        """The report of a delivery."""
        return await self.first(
            lambda each: each.report if each.report.lease == job.lease else None
        )

    async def window(self, size: int) -> None:
        """Waits for the last window to be so large."""

        def last(_: wire.WorkRequest) -> bool | None:
            sizes = [each.window.max_in_flight for each in self.seen if each.HasField("window")]
            return True if sizes[-1:] == [size] else None

        await self.first(last)

    def say(self, **message: Any) -> None:
        self._out.put_nowait(wire.WorkResponse(**message))

    def deliver(self, *jobs: DeliveredJob) -> None:
        self.say(delivery=wire.WorkDelivery(jobs=jobs))

    def ack(self, report: wire.WorkReport) -> None:
        result = FinishResult(disposition=DISPOSITION_COMPLETED)
        self.say(report_ack=wire.WorkReportAck(report_id=report.report_id, result=result))

    async def acked(self, report: wire.WorkReport) -> None:
        """Answers a report and waits until the worker has read that."""
        self.ack(report)
        await self.first(
            lambda each: True if each.heartbeat.acked_through >= report.report_id else None
        )

    def ack_together(self, *reports: wire.WorkReport) -> None:
        result = FinishResult(disposition=DISPOSITION_COMPLETED)
        acks = [wire.WorkReportAck(report_id=each.report_id, result=result) for each in reports]
        self.say(report_acks=wire.WorkReportAcks(acks=acks))

    def refuse(self, report: wire.WorkReport, error: Status) -> None:
        self.say(report_ack=wire.WorkReportAck(report_id=report.report_id, error=error))

    def end(self, status: Status | None = None) -> None:
        self._out.put_nowait(status)

    async def said(self) -> AsyncIterator[wire.WorkResponse]:
        """What was said, to the end; a status ends it badly."""
        while isinstance(message := await self._out.get(), wire.WorkResponse):
            yield message
        self.status = message


class FakeGateway:
    """Opens each stream at once, with a lock of three seconds."""

    def __init__(self) -> None:
        self.payloads: dict[str, bytes] = {}
        self.unavailable = False
        """Payloads cannot be read."""
        self.streams: asyncio.Queue[FakeStream] = asyncio.Queue()
        self.address = ""
        self.answers = asyncio.Event()
        """Streams that are asked for are opened."""
        self.answers.set()
        self.server_info = ServerInfo()
        self.refuses = 0
        """So many streams are refused."""
        self._jobs = 0
        self._server = grpc.aio.server()

    async def __aenter__(self) -> "FakeGateway":
        add: Any = add_WorkerServiceServicer_to_server  # Generated without types.
        add(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(None)

    def __getattr__(self, name: str) -> Any:
        if name[:1].isupper():  # Rpcs that no test calls.
            return None
        raise AttributeError(name)

    async def stream(self) -> FakeStream:
        """The next stream that a worker opens."""
        return await asyncio.wait_for(self.streams.get(), LIMIT)

    def job(self, name: str, data: object, attempt: int = 1) -> DeliveredJob:
        self._jobs += 1
        raw = data if isinstance(data, bytes) else json.dumps(data).encode()
        lease = JobLease(queue="q", job_id=str(self._jobs), lease_token=f"token-{self._jobs}")
        return DeliveredJob(lease=lease, name=name, data=raw, attempt=attempt)

    async def Work(
        self, requests: AsyncIterator[wire.WorkRequest], context: Any
    ) -> AsyncIterator[wire.WorkResponse]:
        stream = FakeStream()
        stream.metadata = {key: str(value) for key, value in context.invocation_metadata()}
        async for request in requests:
            stream.open = request.open
            break
        if self.refuses:
            self.refuses -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "not yet")
        receiving = asyncio.create_task(stream.receive(requests))
        context.add_done_callback(lambda _: stream.broken.set())
        self.streams.put_nowait(stream)
        await self.answers.wait()
        yield wire.WorkResponse(
            opened=wire.WorkOpened(
                session_id=stream.open.worker.session_id,
                heartbeat_interval=Duration(seconds=1),
                keepalive_interval=Duration(seconds=15),
                server_info=self.server_info,
            )
        )
        async for message in stream.said():
            yield message
        receiving.cancel()
        if stream.status is not None:
            context.set_trailing_metadata(
                (("grpc-status-details-bin", stream.status.SerializeToString()),)
            )
            code = next(each for each in grpc.StatusCode if each.value[0] == stream.status.code)
            await context.abort(code, stream.status.message)

    async def GetJobData(
        self, request: GetJobDataRequest, context: Any
    ) -> AsyncIterator[GetJobDataResponse]:
        if self.unavailable:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        payload = self.payloads[request.lease.lease_token]
        half = len(payload) // 2
        for part in (payload[:half], payload[half:]):
            yield GetJobDataResponse(chunk=part, total_size=len(payload))
