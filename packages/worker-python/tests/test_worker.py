"""The helper against a gateway that the test plays."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unittest import IsolatedAsyncioTestCase

from fake_gateway import FakeGateway, FakeStream, refusal

from echomq.v1 import outcome_pb2 as outcomes
from echomq.v1 import worker_session_pb2 as session
from echomq.v1 import worker_stream_pb2 as wire
from echomq_worker import (
    AwaitChildren,
    Connection,
    DelayJob,
    Job,
    NonRetryableError,
    Options,
    RawJson,
    Worker,
)


class Stage:
    """A worker, its gateway, and their first stream."""

    def __init__(self, gateway: FakeGateway, worker: Worker, stream: FakeStream) -> None:
        self.gateway, self.worker, self.stream = gateway, worker, stream
        self.begun: asyncio.Queue[Job] = asyncio.Queue()
        self.cancelled: asyncio.Queue[Job] = asyncio.Queue()
        self.go_on = asyncio.Event()

    async def handle(self, job: Job) -> object:
        match job.name:
            case "sum":
                return sum(job.data)
            case "raw":
                return RawJson(job.raw_data)
            case "error":
                raise ValueError("it is wrong")
            case "final":
                raise NonRetryableError("never")
            case "nan":
                return float("nan")
            case "large":
                return "x" * (5 << 20)
            case "delay":
                raise DelayJob(1.5, skip_attempt=True)
            case "children":
                raise AwaitChildren
            case "tells":
                job.progress({"half": True})
                job.log("one", "two")
        self.begun.put_nowait(job)
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.put_nowait(job)
            raise
        return "done"


@asynccontextmanager
async def stage(options: Options | None = None) -> AsyncIterator[Stage]:
    """Ends the worker well, with nothing in hand."""
    async with FakeGateway() as gateway:
        made: list[Stage] = []

        async def handle(job: Job) -> object:
            return await made[0].handle(job)

        connection = Connection(gateway.address, token="secret")
        worker = Worker(connection, "q", handle, options or Options(concurrency=2, name="it"))
        running = asyncio.create_task(worker.run())
        made.append(Stage(gateway, worker, await gateway.stream()))
        try:
            yield made[0]
        finally:
            await worker.stop(timeout=0.1)
            await asyncio.wait_for(running, 20)


class WorkerTest(IsolatedAsyncioTestCase):
    async def test_says_who_it_is(self) -> None:
        async with stage() as on:
            opened = on.stream.open
            self.assertEqual(opened.worker.name, "it")
            self.assertEqual(opened.worker.sdk.language, "python")
            self.assertEqual(opened.load.capacity, 2)
            self.assertEqual(opened.subscriptions[0].max_in_flight, 2)
            self.assertEqual(on.stream.metadata["authorization"], "Bearer secret")

    async def test_reports_what_a_handler_brings(self) -> None:
        async with stage() as on:
            brings = {
                "sum": (b"[2,3]", b"5"),
                "raw": (b'{ "a":1.0 }', b'{ "a":1.0 }'),
            }
            for name, (data, result) in brings.items():
                job = on.gateway.job(name, data)
                on.stream.deliver(job)
                report = await on.stream.report(job)
                self.assertEqual(report.outcome.complete.return_value, result)
                on.stream.ack(report)

    async def test_reports_what_a_handler_raises(self) -> None:
        async with stage() as on:
            retries = {
                "error": ("ValueError", "it is wrong", outcomes.RETRY_MODE_DEFAULT),
                "final": ("NonRetryableError", "never", outcomes.RETRY_MODE_NEVER),
                "nan": ("ValueError", None, outcomes.RETRY_MODE_DEFAULT),
                "large": ("NonRetryableError", None, outcomes.RETRY_MODE_NEVER),
            }
            for name, (error, message, retry) in retries.items():
                job = on.gateway.job(name, {})
                on.stream.deliver(job)
                report = await on.stream.report(job)
                fail = report.outcome.fail
                self.assertEqual((fail.error_name, fail.retry), (error, retry))
                self.assertIn(message or "", fail.message)
                self.assertIn("Traceback", fail.stack[0])
                on.stream.ack(report)

    async def test_gives_jobs_back_as_asked(self) -> None:
        async with stage() as on:
            for name, kind in {"delay": "delay", "children": "await_children"}.items():
                job = on.gateway.job(name, {})
                on.stream.deliver(job)
                report = await on.stream.report(job)
                self.assertEqual(report.outcome.WhichOneof("kind"), kind)
                on.stream.ack(report)

    async def test_accepts_before_the_handler_is_heard_of(self) -> None:
        async with stage() as on:
            job = on.gateway.job("tells", {})
            on.stream.deliver(job)
            await on.stream.first(lambda each: each.logs.lines or None)
            kinds = [
                each.WhichOneof("message")
                for each in on.stream.seen
                if job.lease.lease_token in str(each)
            ]
            self.assertEqual(kinds[:3], ["heartbeat", "progress", "logs"])
            on.go_on.set()
            on.stream.ack(await on.stream.report(job))

    async def test_stops_the_handler_of_a_lost_lease(self) -> None:
        async with stage() as on:
            job = on.gateway.job("wait", {})
            on.stream.deliver(job)
            await on.begun.get()
            signal = wire.JobSignal(lease=job.lease, kind=wire.JOB_SIGNAL_KIND_LOCK_LOST)
            on.stream.say(job_signal=signal)
            self.assertEqual((await on.cancelled.get()).id, job.lease.job_id)
            other = on.gateway.job("sum", [1])
            on.stream.deliver(other)
            on.stream.ack(await on.stream.report(other))
            self.assertFalse(any(each.report.lease == job.lease for each in on.stream.seen))

    async def test_reports_a_cancelled_job(self) -> None:
        async with stage() as on:
            job = on.gateway.job("wait", {})
            on.stream.deliver(job)
            await on.begun.get()
            signal = wire.JobSignal(lease=job.lease, kind=wire.JOB_SIGNAL_KIND_CANCEL_REQUESTED)
            on.stream.say(job_signal=signal)
            report = await on.stream.report(job)
            self.assertEqual(report.outcome.fail.message, "cancelled")
            on.stream.ack(report)

    async def test_gives_back_what_is_recalled_and_not_begun(self) -> None:
        async with stage(Options(concurrency=1, buffer=1)) as on:
            jobs = [on.gateway.job("wait", {}) for _ in range(2)]
            on.stream.deliver(*jobs)
            await on.begun.get()
            for job in jobs:
                kind = wire.JOB_SIGNAL_KIND_RECALL
                on.stream.say(job_signal=wire.JobSignal(lease=job.lease, kind=kind))
            report = await on.stream.report(jobs[1])
            self.assertTrue(report.outcome.release.to_front)
            on.stream.ack(report)
            on.go_on.set()
            report = await on.stream.report(jobs[0])
            self.assertEqual(report.outcome.complete.return_value, b'"done"')
            on.stream.ack(report)

    async def test_repeats_an_unanswered_report_on_the_next_stream(self) -> None:
        async with stage() as on:
            jobs = [on.gateway.job("sum", [1]), on.gateway.job("wait", {})]
            on.stream.deliver(*jobs)
            before = await on.stream.report(jobs[0])
            await on.begun.get()
            on.stream.end(refusal(14, "GATEWAY_DRAINING", 0.0))
            then = await on.gateway.stream()
            self.assertEqual(then.open.epoch, 1)
            self.assertEqual(then.open.worker.session_id, on.stream.open.worker.session_id)
            self.assertEqual(list(then.open.held), [job.lease for job in jobs])
            self.assertEqual(await then.report(jobs[0]), before)
            then.ack(before)
            on.go_on.set()
            then.ack(await then.report(jobs[1]))

    async def test_begins_a_new_session_when_the_old_one_is_over(self) -> None:
        async with stage() as on:
            job = on.gateway.job("sum", [1])
            on.stream.deliver(job)
            self.assertEqual((await on.stream.report(job)).report_id, 1)
            on.stream.end(refusal(10, "WORKER_UNRESPONSIVE"))
            then = await on.gateway.stream()
            self.assertEqual(then.open.epoch, 0)
            self.assertNotEqual(then.open.worker.session_id, on.stream.open.worker.session_id)
            report = await then.report(job)
            self.assertEqual(report.report_id, 1)
            then.ack(report)

    async def test_follows_a_refused_report(self) -> None:
        async with stage() as on:
            again, failing, gone = [on.gateway.job("sum", [n]) for n in range(3)]
            on.stream.deliver(again)
            report = await on.stream.report(again)
            on.stream.refuse(report, refusal(14, "BACKEND_UNAVAILABLE", 0.1))
            await self.seen_twice(on.stream, report.report_id)
            on.stream.ack(report)

            on.stream.deliver(failing)
            report = await on.stream.report(failing)
            on.stream.refuse(report, refusal(3, "PAYLOAD_TOO_LARGE"))
            fail = await on.stream.first(
                lambda each: each.report if each.report.report_id > report.report_id else None
            )
            self.assertEqual(fail.outcome.fail.retry, outcomes.RETRY_MODE_NEVER)
            self.assertIn("PAYLOAD_TOO_LARGE", fail.outcome.fail.message)
            on.stream.ack(fail)

            on.stream.deliver(gone)
            on.stream.refuse(await on.stream.report(gone), refusal(9, "LOCK_LOST"))

    async def seen_twice(self, stream: FakeStream, report_id: int) -> None:
        def count(_: wire.WorkRequest) -> bool | None:
            ids = [each.report.report_id for each in stream.seen]
            return True if ids.count(report_id) == 2 else None

        await stream.first(count)

    async def test_reads_data_that_a_delivery_leaves_out(self) -> None:
        async with stage() as on:
            job = on.gateway.job("sum", b"")
            on.gateway.payloads[job.lease.lease_token] = json.dumps(list(range(1000))).encode()
            job.data_omitted = True
            on.stream.deliver(job)
            report = await on.stream.report(job)
            self.assertEqual(report.outcome.complete.return_value, b"499500")
            on.stream.ack(report)

    async def test_moves_when_asked_to(self) -> None:
        async with stage() as on:
            reconnect = session.WORKER_DIRECTIVE_ACTION_RECONNECT
            on.stream.say(directive=session.WorkerDirective(action=reconnect))
            self.assertEqual((await on.gateway.stream()).open.epoch, 1)

    async def test_gives_back_at_the_end_what_takes_too_long(self) -> None:
        async with stage() as on:
            job = on.gateway.job("wait", {})
            on.stream.deliver(job)
            await on.begun.get()
            stopping = asyncio.create_task(on.worker.stop(timeout=0.1))
            closed = await on.stream.first(lambda each: each if each.HasField("window") else None)
            self.assertEqual(closed.window.max_in_flight, 0)
            report = await on.stream.report(job)
            self.assertTrue(report.outcome.release.to_front)
            on.stream.ack(report)
            await stopping
            await on.stream.first(lambda each: each if each.HasField("drain") else None)
            await asyncio.wait_for(on.stream.half_closed.wait(), 20)


class ConnectionTest(IsolatedAsyncioTestCase):
    async def test_sends_no_token_in_the_open(self) -> None:
        with self.assertRaises(ValueError):
            Connection("example.com:50051", token="secret")
