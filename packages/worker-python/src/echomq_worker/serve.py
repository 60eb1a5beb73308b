"""The end of a worker process."""

import asyncio
import signal

from .worker import Worker


async def serve(*workers: Worker, timeout: float = 10.0) -> None:
    """
    Runs workers until SIGTERM or SIGINT, which let handlers end (`timeout` seconds at most, then
    their jobs go back). A second signal ends the process at once.
    """
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    def on_signal() -> None:
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(name)
        stopping.extend(asyncio.create_task(each.stop(timeout)) for each in workers)

    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, on_signal)
    await asyncio.gather(*(each.run() for each in workers))
    await asyncio.gather(*stopping)
