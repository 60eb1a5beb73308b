"""The end of a worker process."""

import asyncio
import signal

from .worker import Worker


async def serve(worker: Worker, timeout: float = 10.0) -> None:
    """
    Runs a worker until SIGTERM or SIGINT, which let handlers end (`timeout` seconds at most, then
    their jobs go back). A second signal ends the process at once.
    """
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    def on_signal() -> None:
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(name)
        stopping.append(asyncio.create_task(worker.stop(timeout)))

    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, on_signal)
    await worker.run()
    await asyncio.gather(*stopping)
