"""Jobs, their handlers and what is reported, against a gateway that the test plays."""

import json
from unittest import IsolatedAsyncioTestCase

from stage import stage

from echomq.v1 import outcome_pb2 as outcomes
from echomq.v1 import worker_stream_pb2 as wire
from echomq.v1.gateway_pb2 import ServerInfo, ServerLimits
from echomq_worker import Connection, Options


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
                "nan": ("ValueError", None, outcomes.RETRY_MODE_NEVER),
                "large": ("ValueError", "too many", outcomes.RETRY_MODE_NEVER),
                "exit": ("SystemExit", "it is over", outcomes.RETRY_MODE_DEFAULT),
                "base": ("Base", "beyond Exception", outcomes.RETRY_MODE_DEFAULT),
                "mute": ("Mute", "Mute", outcomes.RETRY_MODE_DEFAULT),
                "nonsense": ("ValueError", "NaN", outcomes.RETRY_MODE_DEFAULT),
                "bare": ("NotImplementedError", None, outcomes.RETRY_MODE_DEFAULT),
                "too much": ("ValueError", "too many", outcomes.RETRY_MODE_DEFAULT),
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

    async def test_sends_no_result_that_the_gateway_cannot_take(self) -> None:
        server = ServerInfo(limits=ServerLimits(max_message_bytes=131_072))
        async with stage(server_info=server) as on:
            for size, kind in {65_536: "complete", 65_537: "fail"}.items():
                job = on.gateway.job("raw", b"1" * size)
                on.stream.deliver(job)
                report = await on.stream.report(job)
                self.assertEqual(report.outcome.WhichOneof("kind"), kind)
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

    async def test_sends_a_log_in_parts_that_a_gateway_takes(self) -> None:
        async with stage() as on:
            job = on.gateway.job("talks", {})
            on.stream.deliver(job)
            await on.begun.get()
            on.go_on.set()
            on.stream.ack(await on.stream.report(job))
            parts = [each.logs.lines for each in on.stream.seen if each.HasField("logs")]
            self.assertEqual([len(part) for part in parts], [100, 50, 1, 1])
            self.assertEqual(parts[1][-1], "149?")
            self.assertEqual([parts[2][0], parts[3][0]], ["x" * 65_536, "é" * 32_768])

    async def test_hears_of_progress_from_threads(self) -> None:
        async with stage() as on:
            job = on.gateway.job("thread", {})
            on.stream.deliver(job)
            await on.stream.first(lambda each: each.heartbeat.held.jobs or None)
            on.go_on.set()
            progress = await on.stream.first(lambda each: each.progress.progress or None)
            self.assertEqual(progress, b'"from a thread"')
            on.stream.ack(await on.stream.report(job))

    async def test_gives_a_job_back_whose_data_cannot_be_had_just_now(self) -> None:
        async with stage() as on:
            job = on.gateway.job("sum", b"")
            job.data_omitted = True
            on.gateway.unavailable = True
            on.stream.deliver(job)
            report = await on.stream.report(job)
            self.assertEqual(report.outcome.WhichOneof("kind"), "release")
            on.stream.ack(report)

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

    async def test_reads_data_that_a_delivery_leaves_out(self) -> None:
        async with stage() as on:
            job = on.gateway.job("sum", b"")
            on.gateway.payloads[job.lease.lease_token] = json.dumps(list(range(1000))).encode()
            job.data_omitted = True
            on.stream.deliver(job)
            report = await on.stream.report(job)
            self.assertEqual(report.outcome.complete.return_value, b"499500")
            on.stream.ack(report)

    async def test_fails_a_job_whose_data_are_broken_and_goes_on(self) -> None:
        async with stage() as on:
            for data in (b'"\xff\xfe"', b"{", b""):
                job = on.gateway.job("sum", data)
                on.stream.deliver(job)
                report = await on.stream.report(job)
                self.assertEqual(report.outcome.WhichOneof("kind"), "fail")
                on.stream.ack(report)
            unknown = on.gateway.job("sum", [2])
            on.stream.deliver(unknown)
            report = await on.stream.report(unknown)
            self.assertEqual(report.outcome.complete.return_value, b"2")
            on.stream.ack(report)

    async def test_asks_for_less_while_the_handler_of_a_lost_job_does_not_stop(self) -> None:
        async with stage(Options(concurrency=2)) as on:
            job = on.gateway.job("stubborn", {})
            on.stream.deliver(job)
            await on.begun.get()
            kind = wire.JOB_SIGNAL_KIND_REMOVED
            on.stream.say(job_signal=wire.JobSignal(lease=job.lease, kind=kind))
            await on.stream.window(1)
            on.go_on.set()
            await on.stream.window(2)

    async def test_runs_no_more_at_once_than_its_concurrency(self) -> None:
        async with stage(Options(concurrency=1, buffer=1)) as on:
            self.assertEqual(on.stream.open.subscriptions[0].max_in_flight, 2)
            jobs = [on.gateway.job("wait", {}) for _ in range(2)]
            on.stream.deliver(*jobs)
            await on.begun.get()
            held = await on.stream.first(lambda each: each.heartbeat.held.jobs or None)
            self.assertEqual([each.running for each in held], [True, False])
            self.assertTrue(on.begun.empty())
            on.go_on.set()
            for job in jobs:
                on.stream.ack(await on.stream.report(job))


class OptionsTest(IsolatedAsyncioTestCase):
    async def test_sends_no_token_in_the_open(self) -> None:
        for address in ("example.com:50051", "127.example.com:50051", "10.0.0.1:50051"):
            with self.assertRaises(ValueError):
                Connection(address, token="secret")
        for address in ("localhost:50051", "127.0.0.2:50051", "[::1]:50051", "unix:gateway.sock"):
            Connection(address, token="secret")

    async def test_refuses_what_nobody_can_mean(self) -> None:
        for concurrency, buffer, lock in (
            (0, 0, None),
            (-1, 0, None),
            (1, -1, None),
            (1, 0, 0.5),
            (1, 0, 3_601.0),
        ):
            with self.assertRaises(ValueError):
                Options(concurrency=concurrency, buffer=buffer, lock_duration=lock)
