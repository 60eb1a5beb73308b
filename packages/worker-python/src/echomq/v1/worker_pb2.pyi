import datetime

from echomq.v1 import job_pb2 as _job_pb2
from echomq.v1 import outcome_pb2 as _outcome_pb2
from echomq.v1 import worker_session_pb2 as _worker_session_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ChildFilter(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHILD_FILTER_UNSPECIFIED: _ClassVar[ChildFilter]
    CHILD_FILTER_PROCESSED: _ClassVar[ChildFilter]
    CHILD_FILTER_FAILED: _ClassVar[ChildFilter]
    CHILD_FILTER_IGNORED: _ClassVar[ChildFilter]
    CHILD_FILTER_PENDING: _ClassVar[ChildFilter]
CHILD_FILTER_UNSPECIFIED: ChildFilter
CHILD_FILTER_PROCESSED: ChildFilter
CHILD_FILTER_FAILED: ChildFilter
CHILD_FILTER_IGNORED: ChildFilter
CHILD_FILTER_PENDING: ChildFilter

class FetchJobsRequest(_message.Message):
    __slots__ = ("queue", "worker", "max_jobs", "wait", "lock_duration", "max_response_bytes", "request_id", "rate_limit", "held")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    MAX_JOBS_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    LOCK_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_RESPONSE_BYTES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    queue: str
    worker: _worker_session_pb2.WorkerInfo
    max_jobs: int
    wait: _duration_pb2.Duration
    lock_duration: _duration_pb2.Duration
    max_response_bytes: int
    request_id: str
    rate_limit: _worker_session_pb2.RateLimit
    held: _containers.RepeatedCompositeFieldContainer[_job_pb2.JobLease]
    def __init__(self, queue: _Optional[str] = ..., worker: _Optional[_Union[_worker_session_pb2.WorkerInfo, _Mapping]] = ..., max_jobs: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lock_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_response_bytes: _Optional[int] = ..., request_id: _Optional[str] = ..., rate_limit: _Optional[_Union[_worker_session_pb2.RateLimit, _Mapping]] = ..., held: _Optional[_Iterable[_Union[_job_pb2.JobLease, _Mapping]]] = ...) -> None: ...

class FetchJobsResponse(_message.Message):
    __slots__ = ("jobs", "empty_reason", "retry_after", "directive", "replayed")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_job_pb2.DeliveredJob]
    empty_reason: _worker_session_pb2.EmptyReason
    retry_after: _duration_pb2.Duration
    directive: _worker_session_pb2.WorkerDirective
    replayed: bool
    def __init__(self, jobs: _Optional[_Iterable[_Union[_job_pb2.DeliveredJob, _Mapping]]] = ..., empty_reason: _Optional[_Union[_worker_session_pb2.EmptyReason, str]] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., directive: _Optional[_Union[_worker_session_pb2.WorkerDirective, _Mapping]] = ..., replayed: bool = ...) -> None: ...

class FetchNext(_message.Message):
    __slots__ = ("max_jobs", "wait", "lock_duration", "max_response_bytes", "rate_limit")
    MAX_JOBS_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    LOCK_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_RESPONSE_BYTES_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    max_jobs: int
    wait: _duration_pb2.Duration
    lock_duration: _duration_pb2.Duration
    max_response_bytes: int
    rate_limit: _worker_session_pb2.RateLimit
    def __init__(self, max_jobs: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lock_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_response_bytes: _Optional[int] = ..., rate_limit: _Optional[_Union[_worker_session_pb2.RateLimit, _Mapping]] = ...) -> None: ...

class FinishJobRequest(_message.Message):
    __slots__ = ("lease", "outcome", "progress", "logs", "fetch_next", "request_id", "worker")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    FETCH_NEXT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    outcome: _outcome_pb2.JobOutcome
    progress: bytes
    logs: _containers.RepeatedScalarFieldContainer[str]
    fetch_next: FetchNext
    request_id: str
    worker: _worker_session_pb2.WorkerInfo
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., outcome: _Optional[_Union[_outcome_pb2.JobOutcome, _Mapping]] = ..., progress: _Optional[bytes] = ..., logs: _Optional[_Iterable[str]] = ..., fetch_next: _Optional[_Union[FetchNext, _Mapping]] = ..., request_id: _Optional[str] = ..., worker: _Optional[_Union[_worker_session_pb2.WorkerInfo, _Mapping]] = ...) -> None: ...

class FinishJobResponse(_message.Message):
    __slots__ = ("result", "next", "empty_reason", "retry_after", "directive")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_FIELD_NUMBER: _ClassVar[int]
    result: _outcome_pb2.FinishResult
    next: _containers.RepeatedCompositeFieldContainer[_job_pb2.DeliveredJob]
    empty_reason: _worker_session_pb2.EmptyReason
    retry_after: _duration_pb2.Duration
    directive: _worker_session_pb2.WorkerDirective
    def __init__(self, result: _Optional[_Union[_outcome_pb2.FinishResult, _Mapping]] = ..., next: _Optional[_Iterable[_Union[_job_pb2.DeliveredJob, _Mapping]]] = ..., empty_reason: _Optional[_Union[_worker_session_pb2.EmptyReason, str]] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., directive: _Optional[_Union[_worker_session_pb2.WorkerDirective, _Mapping]] = ...) -> None: ...

class FinishItem(_message.Message):
    __slots__ = ("lease", "outcome", "progress", "logs")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    outcome: _outcome_pb2.JobOutcome
    progress: bytes
    logs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., outcome: _Optional[_Union[_outcome_pb2.JobOutcome, _Mapping]] = ..., progress: _Optional[bytes] = ..., logs: _Optional[_Iterable[str]] = ...) -> None: ...

class FinishJobsRequest(_message.Message):
    __slots__ = ("items", "fetch_next", "request_id", "worker")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    FETCH_NEXT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[FinishItem]
    fetch_next: FetchNext
    request_id: str
    worker: _worker_session_pb2.WorkerInfo
    def __init__(self, items: _Optional[_Iterable[_Union[FinishItem, _Mapping]]] = ..., fetch_next: _Optional[_Union[FetchNext, _Mapping]] = ..., request_id: _Optional[str] = ..., worker: _Optional[_Union[_worker_session_pb2.WorkerInfo, _Mapping]] = ...) -> None: ...

class FinishItemResult(_message.Message):
    __slots__ = ("result", "error")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    result: _outcome_pb2.FinishResult
    error: _status_pb2.Status
    def __init__(self, result: _Optional[_Union[_outcome_pb2.FinishResult, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class FinishJobsResponse(_message.Message):
    __slots__ = ("results", "next", "empty_reason", "retry_after", "directive")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[FinishItemResult]
    next: _containers.RepeatedCompositeFieldContainer[_job_pb2.DeliveredJob]
    empty_reason: _worker_session_pb2.EmptyReason
    retry_after: _duration_pb2.Duration
    directive: _worker_session_pb2.WorkerDirective
    def __init__(self, results: _Optional[_Iterable[_Union[FinishItemResult, _Mapping]]] = ..., next: _Optional[_Iterable[_Union[_job_pb2.DeliveredJob, _Mapping]]] = ..., empty_reason: _Optional[_Union[_worker_session_pb2.EmptyReason, str]] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., directive: _Optional[_Union[_worker_session_pb2.WorkerDirective, _Mapping]] = ...) -> None: ...

class ExtendLocksRequest(_message.Message):
    __slots__ = ("worker", "leases", "lock_duration", "load")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    LEASES_FIELD_NUMBER: _ClassVar[int]
    LOCK_DURATION_FIELD_NUMBER: _ClassVar[int]
    LOAD_FIELD_NUMBER: _ClassVar[int]
    worker: _worker_session_pb2.WorkerInfo
    leases: _containers.RepeatedCompositeFieldContainer[_job_pb2.JobLease]
    lock_duration: _duration_pb2.Duration
    load: _worker_session_pb2.WorkerLoad
    def __init__(self, worker: _Optional[_Union[_worker_session_pb2.WorkerInfo, _Mapping]] = ..., leases: _Optional[_Iterable[_Union[_job_pb2.JobLease, _Mapping]]] = ..., lock_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., load: _Optional[_Union[_worker_session_pb2.WorkerLoad, _Mapping]] = ...) -> None: ...

class ExtendLocksResponse(_message.Message):
    __slots__ = ("leases", "heartbeat_interval", "directive")
    LEASES_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_FIELD_NUMBER: _ClassVar[int]
    leases: _containers.RepeatedCompositeFieldContainer[_worker_session_pb2.LeaseRenewal]
    heartbeat_interval: _duration_pb2.Duration
    directive: _worker_session_pb2.WorkerDirective
    def __init__(self, leases: _Optional[_Iterable[_Union[_worker_session_pb2.LeaseRenewal, _Mapping]]] = ..., heartbeat_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., directive: _Optional[_Union[_worker_session_pb2.WorkerDirective, _Mapping]] = ...) -> None: ...

class UpdateProgressRequest(_message.Message):
    __slots__ = ("lease", "progress")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    progress: bytes
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., progress: _Optional[bytes] = ...) -> None: ...

class UpdateProgressResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AppendLogsRequest(_message.Message):
    __slots__ = ("lease", "lines", "keep", "request_id")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    lines: _containers.RepeatedScalarFieldContainer[str]
    keep: int
    request_id: str
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., lines: _Optional[_Iterable[str]] = ..., keep: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class AppendLogsResponse(_message.Message):
    __slots__ = ("total",)
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    total: int
    def __init__(self, total: _Optional[int] = ...) -> None: ...

class UpdateJobDataRequest(_message.Message):
    __slots__ = ("lease", "data")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    data: bytes
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., data: _Optional[bytes] = ...) -> None: ...

class UpdateJobDataResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetChildrenValuesRequest(_message.Message):
    __slots__ = ("lease", "filter", "page_size", "page_token")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    filter: ChildFilter
    page_size: int
    page_token: str
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., filter: _Optional[_Union[ChildFilter, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ChildValue(_message.Message):
    __slots__ = ("queue", "job_id", "value", "reason")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    value: bytes
    reason: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., value: _Optional[bytes] = ..., reason: _Optional[str] = ...) -> None: ...

class GetChildrenValuesResponse(_message.Message):
    __slots__ = ("children", "next_page_token")
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    children: _containers.RepeatedCompositeFieldContainer[ChildValue]
    next_page_token: str
    def __init__(self, children: _Optional[_Iterable[_Union[ChildValue, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetJobDataRequest(_message.Message):
    __slots__ = ("lease", "job")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    job: _job_pb2.JobRef
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., job: _Optional[_Union[_job_pb2.JobRef, _Mapping]] = ...) -> None: ...

class GetJobDataResponse(_message.Message):
    __slots__ = ("chunk", "total_size")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    total_size: int
    def __init__(self, chunk: _Optional[bytes] = ..., total_size: _Optional[int] = ...) -> None: ...
