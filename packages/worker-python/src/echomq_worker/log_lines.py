"""What a gateway takes of a log at once."""

from collections.abc import Iterable, Iterator

_MAX_LINES = 100
_MAX_BYTES = 65_536


def batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """As many lines to a message as a gateway takes; of a longer one its beginning."""
    batch: list[str] = []
    room = _MAX_BYTES
    for line in lines:
        whole = line.encode("utf-8", "replace")  # Protobuf takes whole characters only.
        text = whole[:_MAX_BYTES].decode("utf-8", "ignore")
        size = len(text.encode())
        if len(batch) == _MAX_LINES or size > room:
            yield batch
            batch, room = [], _MAX_BYTES
        batch.append(text)
        room -= size
    if batch:
        yield batch
