import datetime

from echomq.v1 import job_pb2 as _job_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_TYPE_UNSPECIFIED: _ClassVar[EventType]
    EVENT_TYPE_ADDED: _ClassVar[EventType]
    EVENT_TYPE_WAITING: _ClassVar[EventType]
    EVENT_TYPE_ACTIVE: _ClassVar[EventType]
    EVENT_TYPE_DELAYED: _ClassVar[EventType]
    EVENT_TYPE_WAITING_CHILDREN: _ClassVar[EventType]
    EVENT_TYPE_COMPLETED: _ClassVar[EventType]
    EVENT_TYPE_FAILED: _ClassVar[EventType]
    EVENT_TYPE_RETRIES_EXHAUSTED: _ClassVar[EventType]
    EVENT_TYPE_STALLED: _ClassVar[EventType]
    EVENT_TYPE_PROGRESS: _ClassVar[EventType]
    EVENT_TYPE_REMOVED: _ClassVar[EventType]
    EVENT_TYPE_DUPLICATED: _ClassVar[EventType]
    EVENT_TYPE_DEDUPLICATED: _ClassVar[EventType]
    EVENT_TYPE_DEBOUNCED: _ClassVar[EventType]
    EVENT_TYPE_DRAINED: _ClassVar[EventType]
    EVENT_TYPE_CLEANED: _ClassVar[EventType]
    EVENT_TYPE_PAUSED: _ClassVar[EventType]
    EVENT_TYPE_RESUMED: _ClassVar[EventType]

class EventStart(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_START_UNSPECIFIED: _ClassVar[EventStart]
    EVENT_START_NOW: _ClassVar[EventStart]
    EVENT_START_OLDEST: _ClassVar[EventStart]
EVENT_TYPE_UNSPECIFIED: EventType
EVENT_TYPE_ADDED: EventType
EVENT_TYPE_WAITING: EventType
EVENT_TYPE_ACTIVE: EventType
EVENT_TYPE_DELAYED: EventType
EVENT_TYPE_WAITING_CHILDREN: EventType
EVENT_TYPE_COMPLETED: EventType
EVENT_TYPE_FAILED: EventType
EVENT_TYPE_RETRIES_EXHAUSTED: EventType
EVENT_TYPE_STALLED: EventType
EVENT_TYPE_PROGRESS: EventType
EVENT_TYPE_REMOVED: EventType
EVENT_TYPE_DUPLICATED: EventType
EVENT_TYPE_DEDUPLICATED: EventType
EVENT_TYPE_DEBOUNCED: EventType
EVENT_TYPE_DRAINED: EventType
EVENT_TYPE_CLEANED: EventType
EVENT_TYPE_PAUSED: EventType
EVENT_TYPE_RESUMED: EventType
EVENT_START_UNSPECIFIED: EventStart
EVENT_START_NOW: EventStart
EVENT_START_OLDEST: EventStart

class Event(_message.Message):
    __slots__ = ("id", "type", "raw_type", "job_id", "at", "prev_state", "name", "return_value", "failed_reason", "progress", "due_at", "attempts_made", "deduplication_id", "deduplicated_job_id", "count", "extra")
    class ExtraEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    RAW_TYPE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    PREV_STATE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RETURN_VALUE_FIELD_NUMBER: _ClassVar[int]
    FAILED_REASON_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    DUE_AT_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_MADE_FIELD_NUMBER: _ClassVar[int]
    DEDUPLICATION_ID_FIELD_NUMBER: _ClassVar[int]
    DEDUPLICATED_JOB_ID_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    EXTRA_FIELD_NUMBER: _ClassVar[int]
    id: str
    type: EventType
    raw_type: str
    job_id: str
    at: _timestamp_pb2.Timestamp
    prev_state: _job_pb2.JobState
    name: str
    return_value: bytes
    failed_reason: str
    progress: bytes
    due_at: _timestamp_pb2.Timestamp
    attempts_made: int
    deduplication_id: str
    deduplicated_job_id: str
    count: int
    extra: _containers.ScalarMap[str, bytes]
    def __init__(self, id: _Optional[str] = ..., type: _Optional[_Union[EventType, str]] = ..., raw_type: _Optional[str] = ..., job_id: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., prev_state: _Optional[_Union[_job_pb2.JobState, str]] = ..., name: _Optional[str] = ..., return_value: _Optional[bytes] = ..., failed_reason: _Optional[str] = ..., progress: _Optional[bytes] = ..., due_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., attempts_made: _Optional[int] = ..., deduplication_id: _Optional[str] = ..., deduplicated_job_id: _Optional[str] = ..., count: _Optional[int] = ..., extra: _Optional[_Mapping[str, bytes]] = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ("queue", "types", "job_ids", "resume_after", "start", "include_payloads", "max_batch", "min_keepalive")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    RESUME_AFTER_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PAYLOADS_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_FIELD_NUMBER: _ClassVar[int]
    MIN_KEEPALIVE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    types: _containers.RepeatedScalarFieldContainer[EventType]
    job_ids: _containers.RepeatedScalarFieldContainer[str]
    resume_after: str
    start: EventStart
    include_payloads: bool
    max_batch: int
    min_keepalive: _duration_pb2.Duration
    def __init__(self, queue: _Optional[str] = ..., types: _Optional[_Iterable[_Union[EventType, str]]] = ..., job_ids: _Optional[_Iterable[str]] = ..., resume_after: _Optional[str] = ..., start: _Optional[_Union[EventStart, str]] = ..., include_payloads: bool = ..., max_batch: _Optional[int] = ..., min_keepalive: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SubscribeOpened(_message.Message):
    __slots__ = ("cursor", "oldest")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    OLDEST_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    oldest: str
    def __init__(self, cursor: _Optional[str] = ..., oldest: _Optional[str] = ...) -> None: ...

class EventBatch(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class EventKeepalive(_message.Message):
    __slots__ = ("cursor",)
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    def __init__(self, cursor: _Optional[str] = ...) -> None: ...

class EventGap(_message.Message):
    __slots__ = ("last_sent", "first_kept")
    LAST_SENT_FIELD_NUMBER: _ClassVar[int]
    FIRST_KEPT_FIELD_NUMBER: _ClassVar[int]
    last_sent: str
    first_kept: str
    def __init__(self, last_sent: _Optional[str] = ..., first_kept: _Optional[str] = ...) -> None: ...

class SubscribeResponse(_message.Message):
    __slots__ = ("opened", "batch", "keepalive", "gap")
    OPENED_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    KEEPALIVE_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    opened: SubscribeOpened
    batch: EventBatch
    keepalive: EventKeepalive
    gap: EventGap
    def __init__(self, opened: _Optional[_Union[SubscribeOpened, _Mapping]] = ..., batch: _Optional[_Union[EventBatch, _Mapping]] = ..., keepalive: _Optional[_Union[EventKeepalive, _Mapping]] = ..., gap: _Optional[_Union[EventGap, _Mapping]] = ...) -> None: ...

class PollEventsRequest(_message.Message):
    __slots__ = ("queue", "types", "job_ids", "resume_after", "start", "include_payloads", "max_batch", "wait")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    RESUME_AFTER_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PAYLOADS_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    types: _containers.RepeatedScalarFieldContainer[EventType]
    job_ids: _containers.RepeatedScalarFieldContainer[str]
    resume_after: str
    start: EventStart
    include_payloads: bool
    max_batch: int
    wait: _duration_pb2.Duration
    def __init__(self, queue: _Optional[str] = ..., types: _Optional[_Iterable[_Union[EventType, str]]] = ..., job_ids: _Optional[_Iterable[str]] = ..., resume_after: _Optional[str] = ..., start: _Optional[_Union[EventStart, str]] = ..., include_payloads: bool = ..., max_batch: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class PollEventsResponse(_message.Message):
    __slots__ = ("events", "cursor", "oldest")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    OLDEST_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    cursor: str
    oldest: str
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., cursor: _Optional[str] = ..., oldest: _Optional[str] = ...) -> None: ...
