"""Reports that leave together, and their answers."""

from unittest import IsolatedAsyncioTestCase

from stage import stage

from echomq.v1.gateway_pb2 import ServerInfo
from echomq.v1.outcome_pb2 import CompleteOutcome, JobOutcome
from echomq.v1.worker_stream_pb2 import WorkReport, WorkRequest, WorkWindow
from echomq_worker import Options
from echomq_worker.outbox import Outbox


def report(number: int, size: int = 1) -> WorkRequest:
    complete = JobOutcome(complete=CompleteOutcome(return_value=b"x" * size))
    return WorkRequest(report=WorkReport(report_id=number, outcome=complete))


class OutboxTest(IsolatedAsyncioTestCase):
    async def taken(self, outbox: Outbox) -> list[list[int]]:
        """The numbers of the reports of each message; none: another message."""
        outbox.put(None)
        taken = []
        while message := await outbox.take():
            together = message.reports.reports or [message.report]
            taken.append([each.report_id for each in together if each.report_id])
        return taken

    async def test_gathers_reports_that_follow_one_another(self) -> None:
        outbox = Outbox()
        outbox.together = True
        for message in (report(1), report(2), WorkRequest(window=WorkWindow()), report(3)):
            outbox.put(message)
        self.assertEqual(await self.taken(outbox), [[1, 2], [], [3]])

    async def test_lets_a_heavy_one_leave_alone(self) -> None:
        outbox = Outbox()
        outbox.together = True
        for message in (report(1), report(2, 16_384), report(3), report(4)):
            outbox.put(message)
        self.assertEqual(await self.taken(outbox), [[1], [2], [3, 4]])

    async def test_gathers_a_hundred_at_most(self) -> None:
        outbox = Outbox()
        outbox.together = True
        for number in range(1, 202):
            outbox.put(report(number))
        self.assertEqual([len(each) for each in await self.taken(outbox)], [100, 100, 1])

    async def test_gathers_no_more_than_every_gateway_takes(self) -> None:
        outbox = Outbox()
        outbox.together = True
        for number in range(1, 10):
            outbox.put(report(number, 12_000))
        self.assertEqual([len(each) for each in await self.taken(outbox)], [4, 4, 1])

    async def test_gathers_nothing_where_the_gateway_does_not_read_it(self) -> None:
        outbox = Outbox()
        outbox.put(report(1))
        outbox.put(report(2))
        self.assertEqual(await self.taken(outbox), [[1], [2]])


class TogetherTest(IsolatedAsyncioTestCase):
    async def test_reports_together_what_has_ended_together(self) -> None:
        for together in (1, 0):
            server = ServerInfo(capabilities={"reportBatches": together == 1})
            async with stage(Options(concurrency=2), server) as on:
                self.assertEqual(on.stream.open.features, ["reportBatches"])
                jobs = [on.gateway.job("wait", {}) for _ in range(2)]
                on.stream.deliver(*jobs)
                for _ in jobs:
                    await on.begun.get()
                on.go_on.set()
                reports = [await on.stream.report(job) for job in jobs]
                kinds = [each.WhichOneof("message") for each in on.stream.seen]
                self.assertEqual(kinds.count("reports"), together)
                on.stream.ack_together(*reports)
                await on.worker.stop(timeout=0.1)  # Without its answers it would not leave.
                await on.stream.first(lambda each: each.drain if each.HasField("drain") else None)
