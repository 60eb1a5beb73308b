"""Streams that break, move and end, against a gateway that the test plays."""

import asyncio
import os
import signal
from unittest import IsolatedAsyncioTestCase

from fake_gateway import FakeGateway, FakeStream, refusal
from stage import stage

from echomq.v1 import outcome_pb2 as outcomes
from echomq.v1 import worker_session_pb2 as session
from echomq.v1 import worker_stream_pb2 as wire
from echomq_worker import Connection, Job, Options, Worker, serve


def directive(action: session.WorkerDirectiveAction) -> session.WorkerDirective:
    return session.WorkerDirective(action=action)


class StreamsTest(IsolatedAsyncioTestCase):
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

    async def test_serves_on_the_old_stream_until_the_new_one_is_open(self) -> None:
        async with stage() as on:
            running = on.gateway.job("wait", {})
            on.stream.deliver(running)
            await on.begun.get()
            on.gateway.answers.clear()
            on.stream.say(directive=directive(session.WORKER_DIRECTIVE_ACTION_RECONNECT))
            then = await on.gateway.stream()
            self.assertEqual(then.open.epoch, 1)
            self.assertEqual(list(then.open.held), [running.lease])
            self.assertEqual(then.open.subscriptions[0].max_in_flight, 2)
            # Not open yet: what is delivered on the old one goes back, what ends is reported there.
            late = on.gateway.job("sum", [1])
            on.stream.deliver(late)
            report = await on.stream.report(late)
            self.assertTrue(report.outcome.release.to_front)
            on.stream.ack(report)
            on.go_on.set()
            # Unread it would be reported again on the new one.
            await on.stream.acked(await on.stream.report(running))
            self.assertFalse(on.stream.broken.is_set())
            on.gateway.answers.set()
            await asyncio.wait_for(on.stream.broken.wait(), 20)
            job = on.gateway.job("sum", [1])
            then.deliver(job)
            then.ack(await then.report(job))

    async def test_goes_on_when_the_gateway_ends_the_stream_that_is_left(self) -> None:
        async with stage() as on:
            on.gateway.answers.clear()
            on.stream.say(directive=directive(session.WORKER_DIRECTIVE_ACTION_RECONNECT))
            then = await on.gateway.stream()
            on.stream.end(refusal(10, "SESSION_SUPERSEDED"))
            await asyncio.wait_for(on.stream.broken.wait(), 20)
            on.gateway.answers.set()
            job = on.gateway.job("sum", [1])
            then.deliver(job)
            then.ack(await then.report(job))
            self.assertEqual(then.open.worker.session_id, on.stream.open.worker.session_id)
            self.assertTrue(on.gateway.streams.empty())

    async def test_stops_by_its_own_clock_what_no_heartbeat_confirms(self) -> None:
        async with stage(Options(concurrency=1)) as on:
            on.stream.answers_heartbeats = False
            job = on.gateway.job("wait", {})
            on.stream.deliver(job)
            await on.begun.get()
            await asyncio.wait_for(on.cancelled.get(), 20)
            other = on.gateway.job("sum", [1])
            on.stream.deliver(other)
            on.stream.ack(await on.stream.report(other))
            self.assertFalse(any(each.report.lease == job.lease for each in on.stream.seen))

    async def test_takes_no_more_while_it_is_to_be_quiet(self) -> None:
        async with stage() as on:
            on.stream.say(directive=directive(session.WORKER_DIRECTIVE_ACTION_QUIET))
            await on.stream.window(0)
            on.stream.say(directive=directive(session.WORKER_DIRECTIVE_ACTION_UNSPECIFIED))
            await on.stream.window(2)

    async def test_drains_as_asked_and_comes_back(self) -> None:
        async with stage() as on:
            job = on.gateway.job("wait", {})
            on.stream.deliver(job)
            await on.begun.get()
            on.stream.say(directive=directive(session.WORKER_DIRECTIVE_ACTION_DRAIN))
            await on.stream.window(0)
            on.go_on.set()
            on.stream.ack(await on.stream.report(job))
            await asyncio.wait_for(on.stream.half_closed.wait(), 20)
            self.assertEqual((await on.gateway.stream()).open.epoch, 1)

    async def test_comes_back_to_a_gateway_that_was_gone(self) -> None:
        async with stage() as on:
            job = on.gateway.job("sum", [1])
            on.gateway.refuses = 2
            on.stream.end(refusal(14, "GATEWAY_DRAINING", 0.0))
            then = await on.gateway.stream()
            self.assertEqual(on.gateway.refuses, 0)
            then.deliver(job)
            then.ack(await then.report(job))

    async def test_ends_well_at_sigterm(self) -> None:
        async with FakeGateway() as gateway:
            go_on = asyncio.Event()

            async def handle(_: Job) -> object:
                os.kill(os.getpid(), signal.SIGTERM)
                await go_on.wait()
                return "done"

            worker = Worker(Connection(gateway.address), "q", handle, Options(concurrency=2))
            serving = asyncio.create_task(serve(worker))
            stream = await gateway.stream()
            job = gateway.job("any", {})
            stream.deliver(job)
            await stream.window(0)
            go_on.set()
            report = await stream.report(job)
            self.assertEqual(report.outcome.complete.return_value, b'"done"')
            stream.ack(report)
            await asyncio.wait_for(serving, 20)
            await asyncio.wait_for(stream.half_closed.wait(), 20)
