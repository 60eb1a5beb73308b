"""The way to the gateway."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
"""What a message may have each way; a delivery has at most 3.5 MiB."""

_ROOM_BYTES = 65_536
"""What a message may have besides its JSON."""

OPTIONS: Sequence[tuple[str, Any]] = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # A stream is never repeated by the library: its first messages would come twice.
    ("grpc.enable_retries", 0),
    # Another channel is another connection, so that a balancer can choose another gateway.
    ("grpc.use_local_subchannel_pool", 1),
)


def max_json_bytes(max_message_bytes: int = 0) -> int:
    """With more JSON a message would break its stream. 0: the gateway has named no bound."""
    return min(MAX_MESSAGE_BYTES, max_message_bytes or MAX_MESSAGE_BYTES) - _ROOM_BYTES


@dataclass(frozen=True)
class Tls:
    """Certificates as PEM; without `root` those of the system are trusted."""

    root: bytes | None = None
    key: bytes | None = None
    certificate: bytes | None = None


@dataclass(frozen=True)
class Connection:
    """Where the gateway is and how it is reached."""

    address: str
    tls: Tls | None = None
    token: str | None = None
    """Sent as `authorization: Bearer …`. Without TLS on loopback only."""

    def __post_init__(self) -> None:
        if self.token and not self.tls and not _is_loopback(self.address):
            raise ValueError("a token goes over TLS only, except on loopback")

    def open(self) -> grpc.aio.Channel:
        """A channel of its own, not shared with any other."""
        if self.tls is None:
            return grpc.aio.insecure_channel(self.address, options=OPTIONS)
        credentials = grpc.ssl_channel_credentials(
            self.tls.root, self.tls.key, self.tls.certificate
        )
        return grpc.aio.secure_channel(self.address, credentials, options=OPTIONS)

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with each call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()


def _is_loopback(address: str) -> bool:
    host = address.rsplit(":", 1)[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or address.startswith("unix:")
