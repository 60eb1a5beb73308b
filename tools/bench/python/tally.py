"""Tells the benchmark which jobs were handled."""

import asyncio
import os
import signal


class Tally:
    """Prints the numbers of the jobs, a line each, once in a turn of the event loop."""

    def __init__(self) -> None:
        self._seen: list[str] = []

    def add(self, number: int) -> None:
        if not self._seen:
            asyncio.get_running_loop().call_soon(self._flush)
        self._seen.append(f"{number}\n")

    def _flush(self) -> None:
        text = "".join(self._seen).encode()
        self._seen.clear()
        while text:
            text = text[os.write(1, text) :]


def say_ready() -> None:
    os.write(1, b"ready\n")


def asked_to_end() -> asyncio.Event:
    """Set by SIGTERM."""
    event = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, event.set)
    return event
