"""BullMQ for Python as a peer at a queue, driven over stdin and stdout: one JSON object per line each way.

In come calls, {"call": n, "op": ..., ...}, and the ends of runs, {"ran": n, "value": ...} or {"ran": n, "error": ...}.
Out go answers, {"done": n, "value": ...} or {"done": n, "error": ...}, and runs, {"run": n, "id": ..., ...}.
"""

import asyncio
import json
import sys

from bullmq import FlowProducer, Queue, Worker

CONNECTION = {"unix_socket_path": sys.argv[1]}
QUEUE = sys.argv[2]
CONCURRENCY = int(sys.argv[3])


class Peer:
    def __init__(self):
        self.queue = Queue(QUEUE, {"connection": CONNECTION})
        self.flows = FlowProducer({"connection": CONNECTION})
        self.workers = []
        self.runs = {}
        self.count = 0
        self.tasks = set()
        self.ended = asyncio.Event()

    def write(self, message):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    async def run(self, job, _token):
        number = self.count
        self.count += 1
        self.runs[number] = asyncio.get_running_loop().create_future()
        self.write({"run": number, "id": job.id, "data": job.data, "attemptsMade": job.attemptsMade})
        end = await self.runs[number]
        if "error" in end:
            raise Exception(end["error"])
        return end.get("value")

    async def op_add(self, call):
        return (await self.queue.add("task", call["task"], call["options"])).id

    async def op_flow(self, call):
        await self.flows.add(call["flow"])

    async def op_schedule(self, call):
        repeat = {"every": call["everyMs"], "limit": call["limit"]}
        await self.queue.upsertJobScheduler(call["id"], repeat, "task", call["task"])

    async def op_unschedule(self, call):
        await self.queue.removeJobScheduler(call["id"])

    async def op_pause(self, _call):
        await self.queue.pause()

    async def op_resume(self, _call):
        await self.queue.resume()

    async def op_work(self, _call):
        options = {"connection": CONNECTION, "concurrency": CONCURRENCY, "drainDelay": 1}
        worker = Worker(QUEUE, self.run, options)
        worker.on("error", lambda error, *_: print(f"worker: {error!r}", file=sys.stderr, flush=True))
        self.workers.append(worker)

    async def op_close(self, _call):
        for worker in self.workers:
            await worker.close()
        await self.flows.close()
        await self.queue.close()
        self.ended.set()

    async def answer(self, call):
        try:
            value = await getattr(self, "op_" + call["op"])(call)
            self.write({"done": call["call"], "value": value})
        except Exception as error:  # The other side decides what to do about it.
            self.write({"done": call["call"], "error": repr(error)})

    async def listen(self):
        reader = asyncio.StreamReader(limit=2**24)
        protocol = asyncio.StreamReaderProtocol(reader)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
        self.write({"ready": True})
        while line := await reader.readline():
            message = json.loads(line)
            if "ran" in message:
                self.runs.pop(message["ran"]).set_result(message)
                continue
            task = asyncio.create_task(self.answer(message))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)


async def main():
    peer = Peer()
    listening = asyncio.create_task(peer.listen())
    closing = asyncio.create_task(peer.ended.wait())
    await asyncio.wait({listening, closing}, return_when=asyncio.FIRST_COMPLETED)
    listening.cancel()


asyncio.run(main())
