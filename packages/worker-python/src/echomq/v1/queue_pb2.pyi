import datetime

from echomq.v1 import job_pb2 as _job_pb2
from echomq.v1 import worker_session_pb2 as _worker_session_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MetricsKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    METRICS_KIND_UNSPECIFIED: _ClassVar[MetricsKind]
    METRICS_KIND_COMPLETED: _ClassVar[MetricsKind]
    METRICS_KIND_FAILED: _ClassVar[MetricsKind]
METRICS_KIND_UNSPECIFIED: MetricsKind
METRICS_KIND_COMPLETED: MetricsKind
METRICS_KIND_FAILED: MetricsKind

class QueueSummary(_message.Message):
    __slots__ = ("queue", "paused", "problem")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    queue: str
    paused: bool
    problem: str
    def __init__(self, queue: _Optional[str] = ..., paused: bool = ..., problem: _Optional[str] = ...) -> None: ...

class ListQueuesRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "prefix_filter")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FILTER_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    prefix_filter: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., prefix_filter: _Optional[str] = ...) -> None: ...

class ListQueuesResponse(_message.Message):
    __slots__ = ("queues", "next_page_token")
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    queues: _containers.RepeatedCompositeFieldContainer[QueueSummary]
    next_page_token: str
    def __init__(self, queues: _Optional[_Iterable[_Union[QueueSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class QueueLimits(_message.Message):
    __slots__ = ("max_payload_bytes", "max_jobs", "max_events")
    MAX_PAYLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_JOBS_FIELD_NUMBER: _ClassVar[int]
    MAX_EVENTS_FIELD_NUMBER: _ClassVar[int]
    max_payload_bytes: int
    max_jobs: int
    max_events: int
    def __init__(self, max_payload_bytes: _Optional[int] = ..., max_jobs: _Optional[int] = ..., max_events: _Optional[int] = ...) -> None: ...

class QueueInfo(_message.Message):
    __slots__ = ("queue", "paused", "concurrency", "rate_limit", "limits", "version", "maxed")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MAXED_FIELD_NUMBER: _ClassVar[int]
    queue: str
    paused: bool
    concurrency: int
    rate_limit: _worker_session_pb2.RateLimit
    limits: QueueLimits
    version: str
    maxed: bool
    def __init__(self, queue: _Optional[str] = ..., paused: bool = ..., concurrency: _Optional[int] = ..., rate_limit: _Optional[_Union[_worker_session_pb2.RateLimit, _Mapping]] = ..., limits: _Optional[_Union[QueueLimits, _Mapping]] = ..., version: _Optional[str] = ..., maxed: bool = ...) -> None: ...

class GetQueueRequest(_message.Message):
    __slots__ = ("queue",)
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    def __init__(self, queue: _Optional[str] = ...) -> None: ...

class GetQueueResponse(_message.Message):
    __slots__ = ("queue",)
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    queue: QueueInfo
    def __init__(self, queue: _Optional[_Union[QueueInfo, _Mapping]] = ...) -> None: ...

class GetJobCountsRequest(_message.Message):
    __slots__ = ("queue", "states", "due_before")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    DUE_BEFORE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    states: _containers.RepeatedScalarFieldContainer[_job_pb2.JobState]
    due_before: _timestamp_pb2.Timestamp
    def __init__(self, queue: _Optional[str] = ..., states: _Optional[_Iterable[_Union[_job_pb2.JobState, str]]] = ..., due_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class JobCount(_message.Message):
    __slots__ = ("state", "count")
    STATE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    state: _job_pb2.JobState
    count: int
    def __init__(self, state: _Optional[_Union[_job_pb2.JobState, str]] = ..., count: _Optional[int] = ...) -> None: ...

class GetJobCountsResponse(_message.Message):
    __slots__ = ("counts",)
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.RepeatedCompositeFieldContainer[JobCount]
    def __init__(self, counts: _Optional[_Iterable[_Union[JobCount, _Mapping]]] = ...) -> None: ...

class GetCountsPerPriorityRequest(_message.Message):
    __slots__ = ("queue", "priorities")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PRIORITIES_FIELD_NUMBER: _ClassVar[int]
    queue: str
    priorities: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, queue: _Optional[str] = ..., priorities: _Optional[_Iterable[int]] = ...) -> None: ...

class PriorityCount(_message.Message):
    __slots__ = ("priority", "count")
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    priority: int
    count: int
    def __init__(self, priority: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class GetCountsPerPriorityResponse(_message.Message):
    __slots__ = ("counts",)
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.RepeatedCompositeFieldContainer[PriorityCount]
    def __init__(self, counts: _Optional[_Iterable[_Union[PriorityCount, _Mapping]]] = ...) -> None: ...

class PauseQueueRequest(_message.Message):
    __slots__ = ("queue",)
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    def __init__(self, queue: _Optional[str] = ...) -> None: ...

class PauseQueueResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ResumeQueueRequest(_message.Message):
    __slots__ = ("queue",)
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    def __init__(self, queue: _Optional[str] = ...) -> None: ...

class ResumeQueueResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DrainQueueRequest(_message.Message):
    __slots__ = ("queue", "include_delayed")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DELAYED_FIELD_NUMBER: _ClassVar[int]
    queue: str
    include_delayed: bool
    def __init__(self, queue: _Optional[str] = ..., include_delayed: bool = ...) -> None: ...

class DrainQueueResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: int
    def __init__(self, removed: _Optional[int] = ...) -> None: ...

class CleanQueueRequest(_message.Message):
    __slots__ = ("queue", "state", "older_than", "limit")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OLDER_THAN_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    state: _job_pb2.JobState
    older_than: _duration_pb2.Duration
    limit: int
    def __init__(self, queue: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., older_than: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., limit: _Optional[int] = ...) -> None: ...

class CleanQueueResponse(_message.Message):
    __slots__ = ("job_ids", "count", "more")
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    job_ids: _containers.RepeatedScalarFieldContainer[str]
    count: int
    more: bool
    def __init__(self, job_ids: _Optional[_Iterable[str]] = ..., count: _Optional[int] = ..., more: bool = ...) -> None: ...

class ObliterateQueueRequest(_message.Message):
    __slots__ = ("queue", "force", "confirm_queue", "limit")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    CONFIRM_QUEUE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    force: bool
    confirm_queue: str
    limit: int
    def __init__(self, queue: _Optional[str] = ..., force: bool = ..., confirm_queue: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ObliterateQueueResponse(_message.Message):
    __slots__ = ("done",)
    DONE_FIELD_NUMBER: _ClassVar[int]
    done: bool
    def __init__(self, done: bool = ...) -> None: ...

class SetRateLimitRequest(_message.Message):
    __slots__ = ("queue", "rate_limit")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    rate_limit: _worker_session_pb2.RateLimit
    def __init__(self, queue: _Optional[str] = ..., rate_limit: _Optional[_Union[_worker_session_pb2.RateLimit, _Mapping]] = ...) -> None: ...

class SetRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetRateLimitRequest(_message.Message):
    __slots__ = ("queue", "max_jobs")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    MAX_JOBS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    max_jobs: int
    def __init__(self, queue: _Optional[str] = ..., max_jobs: _Optional[int] = ...) -> None: ...

class GetRateLimitResponse(_message.Message):
    __slots__ = ("rate_limit", "ttl")
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    rate_limit: _worker_session_pb2.RateLimit
    ttl: _duration_pb2.Duration
    def __init__(self, rate_limit: _Optional[_Union[_worker_session_pb2.RateLimit, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ClearRateLimitRequest(_message.Message):
    __slots__ = ("queue", "keep_limit")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    KEEP_LIMIT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    keep_limit: bool
    def __init__(self, queue: _Optional[str] = ..., keep_limit: bool = ...) -> None: ...

class ClearRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HoldQueueRequest(_message.Message):
    __slots__ = ("queue", "duration")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    queue: str
    duration: _duration_pb2.Duration
    def __init__(self, queue: _Optional[str] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class HoldQueueResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetConcurrencyRequest(_message.Message):
    __slots__ = ("queue", "max")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    queue: str
    max: int
    def __init__(self, queue: _Optional[str] = ..., max: _Optional[int] = ...) -> None: ...

class SetConcurrencyResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetQueueLimitsRequest(_message.Message):
    __slots__ = ("queue", "limits")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    limits: QueueLimits
    def __init__(self, queue: _Optional[str] = ..., limits: _Optional[_Union[QueueLimits, _Mapping]] = ...) -> None: ...

class SetQueueLimitsResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetMetricsRequest(_message.Message):
    __slots__ = ("queue", "kind", "start", "end")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    queue: str
    kind: MetricsKind
    start: int
    end: int
    def __init__(self, queue: _Optional[str] = ..., kind: _Optional[_Union[MetricsKind, str]] = ..., start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class GetMetricsResponse(_message.Message):
    __slots__ = ("points", "total", "newest_at", "kept", "open", "open_at")
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    NEWEST_AT_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    OPEN_AT_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    total: float
    newest_at: _timestamp_pb2.Timestamp
    kept: int
    open: int
    open_at: _timestamp_pb2.Timestamp
    def __init__(self, points: _Optional[_Iterable[int]] = ..., total: _Optional[float] = ..., newest_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., kept: _Optional[int] = ..., open: _Optional[int] = ..., open_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListWorkersRequest(_message.Message):
    __slots__ = ("queue", "page_size", "page_token")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    queue: str
    page_size: int
    page_token: str
    def __init__(self, queue: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class WorkerSession(_message.Message):
    __slots__ = ("worker", "queues", "started_at", "last_heartbeat_at", "load", "held", "lag")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_HEARTBEAT_AT_FIELD_NUMBER: _ClassVar[int]
    LOAD_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    worker: _worker_session_pb2.WorkerInfo
    queues: _containers.RepeatedScalarFieldContainer[str]
    started_at: _timestamp_pb2.Timestamp
    last_heartbeat_at: _timestamp_pb2.Timestamp
    load: _worker_session_pb2.WorkerLoad
    held: _containers.RepeatedCompositeFieldContainer[_job_pb2.JobRef]
    lag: _duration_pb2.Duration
    def __init__(self, worker: _Optional[_Union[_worker_session_pb2.WorkerInfo, _Mapping]] = ..., queues: _Optional[_Iterable[str]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_heartbeat_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., load: _Optional[_Union[_worker_session_pb2.WorkerLoad, _Mapping]] = ..., held: _Optional[_Iterable[_Union[_job_pb2.JobRef, _Mapping]]] = ..., lag: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListWorkersResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[WorkerSession]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[WorkerSession, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RemoveDeduplicationKeyRequest(_message.Message):
    __slots__ = ("queue", "deduplication_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    DEDUPLICATION_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    deduplication_id: str
    def __init__(self, queue: _Optional[str] = ..., deduplication_id: _Optional[str] = ...) -> None: ...

class RemoveDeduplicationKeyResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: bool
    def __init__(self, removed: bool = ...) -> None: ...

class GetDeduplicationJobRequest(_message.Message):
    __slots__ = ("queue", "deduplication_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    DEDUPLICATION_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    deduplication_id: str
    def __init__(self, queue: _Optional[str] = ..., deduplication_id: _Optional[str] = ...) -> None: ...

class GetDeduplicationJobResponse(_message.Message):
    __slots__ = ("job_id",)
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    def __init__(self, job_id: _Optional[str] = ...) -> None: ...

class TrimEventsRequest(_message.Message):
    __slots__ = ("queue", "max_events")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    MAX_EVENTS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    max_events: int
    def __init__(self, queue: _Optional[str] = ..., max_events: _Optional[int] = ...) -> None: ...

class TrimEventsResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: int
    def __init__(self, removed: _Optional[int] = ...) -> None: ...
