"""Write a handler; the worker protocol of EchoMQ is done for you."""

from .connection import Connection, Tls
from .job import (
    AwaitChildren,
    DelayJob,
    GiveBack,
    Job,
    NonRetryableError,
    RateLimited,
    RawJson,
    ReleaseJob,
)
from .options import Options
from .serve import serve
from .session import VERSION
from .worker import Worker

__all__ = [
    "VERSION",
    "AwaitChildren",
    "Connection",
    "DelayJob",
    "GiveBack",
    "Job",
    "NonRetryableError",
    "Options",
    "RateLimited",
    "RawJson",
    "ReleaseJob",
    "Tls",
    "Worker",
    "serve",
]
