import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JobState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_STATE_UNSPECIFIED: _ClassVar[JobState]
    JOB_STATE_WAITING: _ClassVar[JobState]
    JOB_STATE_PRIORITIZED: _ClassVar[JobState]
    JOB_STATE_DELAYED: _ClassVar[JobState]
    JOB_STATE_ACTIVE: _ClassVar[JobState]
    JOB_STATE_WAITING_CHILDREN: _ClassVar[JobState]
    JOB_STATE_COMPLETED: _ClassVar[JobState]
    JOB_STATE_FAILED: _ClassVar[JobState]
    JOB_STATE_UNKNOWN: _ClassVar[JobState]

class BackoffType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BACKOFF_TYPE_UNSPECIFIED: _ClassVar[BackoffType]
    BACKOFF_TYPE_FIXED: _ClassVar[BackoffType]
    BACKOFF_TYPE_EXPONENTIAL: _ClassVar[BackoffType]
    BACKOFF_TYPE_CUSTOM: _ClassVar[BackoffType]

class ParentFailurePolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PARENT_FAILURE_POLICY_UNSPECIFIED: _ClassVar[ParentFailurePolicy]
    PARENT_FAILURE_POLICY_FAIL_PARENT: _ClassVar[ParentFailurePolicy]
    PARENT_FAILURE_POLICY_CONTINUE_PARENT: _ClassVar[ParentFailurePolicy]
    PARENT_FAILURE_POLICY_IGNORE: _ClassVar[ParentFailurePolicy]
    PARENT_FAILURE_POLICY_REMOVE: _ClassVar[ParentFailurePolicy]
JOB_STATE_UNSPECIFIED: JobState
JOB_STATE_WAITING: JobState
JOB_STATE_PRIORITIZED: JobState
JOB_STATE_DELAYED: JobState
JOB_STATE_ACTIVE: JobState
JOB_STATE_WAITING_CHILDREN: JobState
JOB_STATE_COMPLETED: JobState
JOB_STATE_FAILED: JobState
JOB_STATE_UNKNOWN: JobState
BACKOFF_TYPE_UNSPECIFIED: BackoffType
BACKOFF_TYPE_FIXED: BackoffType
BACKOFF_TYPE_EXPONENTIAL: BackoffType
BACKOFF_TYPE_CUSTOM: BackoffType
PARENT_FAILURE_POLICY_UNSPECIFIED: ParentFailurePolicy
PARENT_FAILURE_POLICY_FAIL_PARENT: ParentFailurePolicy
PARENT_FAILURE_POLICY_CONTINUE_PARENT: ParentFailurePolicy
PARENT_FAILURE_POLICY_IGNORE: ParentFailurePolicy
PARENT_FAILURE_POLICY_REMOVE: ParentFailurePolicy

class JobRef(_message.Message):
    __slots__ = ("queue", "job_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ...) -> None: ...

class JobLease(_message.Message):
    __slots__ = ("queue", "job_id", "lease_token")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    lease_token: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., lease_token: _Optional[str] = ...) -> None: ...

class Backoff(_message.Message):
    __slots__ = ("type", "delay", "jitter", "custom_name")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    JITTER_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_NAME_FIELD_NUMBER: _ClassVar[int]
    type: BackoffType
    delay: _duration_pb2.Duration
    jitter: float
    custom_name: str
    def __init__(self, type: _Optional[_Union[BackoffType, str]] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., jitter: _Optional[float] = ..., custom_name: _Optional[str] = ...) -> None: ...

class Retention(_message.Message):
    __slots__ = ("remove", "keep")
    REMOVE_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    remove: bool
    keep: KeepRule
    def __init__(self, remove: bool = ..., keep: _Optional[_Union[KeepRule, _Mapping]] = ...) -> None: ...

class KeepRule(_message.Message):
    __slots__ = ("count", "age", "limit")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    count: int
    age: _duration_pb2.Duration
    limit: int
    def __init__(self, count: _Optional[int] = ..., age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., limit: _Optional[int] = ...) -> None: ...

class Deduplication(_message.Message):
    __slots__ = ("id", "ttl", "extend", "replace", "keep_last_if_active", "reschedule")
    ID_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXTEND_FIELD_NUMBER: _ClassVar[int]
    REPLACE_FIELD_NUMBER: _ClassVar[int]
    KEEP_LAST_IF_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    RESCHEDULE_FIELD_NUMBER: _ClassVar[int]
    id: str
    ttl: _duration_pb2.Duration
    extend: bool
    replace: bool
    keep_last_if_active: bool
    reschedule: bool
    def __init__(self, id: _Optional[str] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., extend: bool = ..., replace: bool = ..., keep_last_if_active: bool = ..., reschedule: bool = ...) -> None: ...

class JobOptions(_message.Message):
    __slots__ = ("job_id", "delay", "run_at", "priority", "attempts", "backoff", "lifo", "remove_on_complete", "remove_on_fail", "keep_logs", "stack_trace_limit", "deduplication", "parent_failure_policy", "size_limit", "headers", "extra_opts_json")
    class HeadersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    RUN_AT_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    BACKOFF_FIELD_NUMBER: _ClassVar[int]
    LIFO_FIELD_NUMBER: _ClassVar[int]
    REMOVE_ON_COMPLETE_FIELD_NUMBER: _ClassVar[int]
    REMOVE_ON_FAIL_FIELD_NUMBER: _ClassVar[int]
    KEEP_LOGS_FIELD_NUMBER: _ClassVar[int]
    STACK_TRACE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    DEDUPLICATION_FIELD_NUMBER: _ClassVar[int]
    PARENT_FAILURE_POLICY_FIELD_NUMBER: _ClassVar[int]
    SIZE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    EXTRA_OPTS_JSON_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    delay: _duration_pb2.Duration
    run_at: _timestamp_pb2.Timestamp
    priority: int
    attempts: int
    backoff: Backoff
    lifo: bool
    remove_on_complete: Retention
    remove_on_fail: Retention
    keep_logs: int
    stack_trace_limit: int
    deduplication: Deduplication
    parent_failure_policy: ParentFailurePolicy
    size_limit: int
    headers: _containers.ScalarMap[str, str]
    extra_opts_json: bytes
    def __init__(self, job_id: _Optional[str] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., run_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., priority: _Optional[int] = ..., attempts: _Optional[int] = ..., backoff: _Optional[_Union[Backoff, _Mapping]] = ..., lifo: bool = ..., remove_on_complete: _Optional[_Union[Retention, _Mapping]] = ..., remove_on_fail: _Optional[_Union[Retention, _Mapping]] = ..., keep_logs: _Optional[int] = ..., stack_trace_limit: _Optional[int] = ..., deduplication: _Optional[_Union[Deduplication, _Mapping]] = ..., parent_failure_policy: _Optional[_Union[ParentFailurePolicy, str]] = ..., size_limit: _Optional[int] = ..., headers: _Optional[_Mapping[str, str]] = ..., extra_opts_json: _Optional[bytes] = ...) -> None: ...

class DeliveredJob(_message.Message):
    __slots__ = ("lease", "name", "data", "data_omitted", "data_size", "options", "attempt", "attempts_started", "stalled_count", "created_at", "priority", "lock_ttl", "parent", "scheduler_id", "headers", "last_progress", "deduplication_id")
    class HeadersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    LEASE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    DATA_OMITTED_FIELD_NUMBER: _ClassVar[int]
    DATA_SIZE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_STARTED_FIELD_NUMBER: _ClassVar[int]
    STALLED_COUNT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    LOCK_TTL_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    SCHEDULER_ID_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    LAST_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    DEDUPLICATION_ID_FIELD_NUMBER: _ClassVar[int]
    lease: JobLease
    name: str
    data: bytes
    data_omitted: bool
    data_size: int
    options: JobOptions
    attempt: int
    attempts_started: int
    stalled_count: int
    created_at: _timestamp_pb2.Timestamp
    priority: int
    lock_ttl: _duration_pb2.Duration
    parent: JobRef
    scheduler_id: str
    headers: _containers.ScalarMap[str, str]
    last_progress: bytes
    deduplication_id: str
    def __init__(self, lease: _Optional[_Union[JobLease, _Mapping]] = ..., name: _Optional[str] = ..., data: _Optional[bytes] = ..., data_omitted: bool = ..., data_size: _Optional[int] = ..., options: _Optional[_Union[JobOptions, _Mapping]] = ..., attempt: _Optional[int] = ..., attempts_started: _Optional[int] = ..., stalled_count: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., priority: _Optional[int] = ..., lock_ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., parent: _Optional[_Union[JobRef, _Mapping]] = ..., scheduler_id: _Optional[str] = ..., headers: _Optional[_Mapping[str, str]] = ..., last_progress: _Optional[bytes] = ..., deduplication_id: _Optional[str] = ...) -> None: ...

class Job(_message.Message):
    __slots__ = ("queue", "job_id", "name", "state", "data", "data_omitted", "data_size", "options", "attempts_made", "attempts_started", "stalled_count", "created_at", "processed_at", "finished_at", "delay", "priority", "parent", "scheduler_id", "deduplication_id", "headers", "return_value", "failed_reason", "stack_trace", "progress", "processed_by")
    class HeadersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    DATA_OMITTED_FIELD_NUMBER: _ClassVar[int]
    DATA_SIZE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_MADE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_STARTED_FIELD_NUMBER: _ClassVar[int]
    STALLED_COUNT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    PROCESSED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    SCHEDULER_ID_FIELD_NUMBER: _ClassVar[int]
    DEDUPLICATION_ID_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    RETURN_VALUE_FIELD_NUMBER: _ClassVar[int]
    FAILED_REASON_FIELD_NUMBER: _ClassVar[int]
    STACK_TRACE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    PROCESSED_BY_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    name: str
    state: JobState
    data: bytes
    data_omitted: bool
    data_size: int
    options: JobOptions
    attempts_made: int
    attempts_started: int
    stalled_count: int
    created_at: _timestamp_pb2.Timestamp
    processed_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    delay: _duration_pb2.Duration
    priority: int
    parent: JobRef
    scheduler_id: str
    deduplication_id: str
    headers: _containers.ScalarMap[str, str]
    return_value: bytes
    failed_reason: str
    stack_trace: _containers.RepeatedScalarFieldContainer[str]
    progress: bytes
    processed_by: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., name: _Optional[str] = ..., state: _Optional[_Union[JobState, str]] = ..., data: _Optional[bytes] = ..., data_omitted: bool = ..., data_size: _Optional[int] = ..., options: _Optional[_Union[JobOptions, _Mapping]] = ..., attempts_made: _Optional[int] = ..., attempts_started: _Optional[int] = ..., stalled_count: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., processed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., priority: _Optional[int] = ..., parent: _Optional[_Union[JobRef, _Mapping]] = ..., scheduler_id: _Optional[str] = ..., deduplication_id: _Optional[str] = ..., headers: _Optional[_Mapping[str, str]] = ..., return_value: _Optional[bytes] = ..., failed_reason: _Optional[str] = ..., stack_trace: _Optional[_Iterable[str]] = ..., progress: _Optional[bytes] = ..., processed_by: _Optional[str] = ...) -> None: ...
