import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WorkerDirectiveAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKER_DIRECTIVE_ACTION_UNSPECIFIED: _ClassVar[WorkerDirectiveAction]
    WORKER_DIRECTIVE_ACTION_QUIET: _ClassVar[WorkerDirectiveAction]
    WORKER_DIRECTIVE_ACTION_DRAIN: _ClassVar[WorkerDirectiveAction]
    WORKER_DIRECTIVE_ACTION_RECONNECT: _ClassVar[WorkerDirectiveAction]

class EmptyReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EMPTY_REASON_UNSPECIFIED: _ClassVar[EmptyReason]
    EMPTY_REASON_EMPTY: _ClassVar[EmptyReason]
    EMPTY_REASON_PAUSED: _ClassVar[EmptyReason]
    EMPTY_REASON_RATE_LIMITED: _ClassVar[EmptyReason]
    EMPTY_REASON_CONCURRENCY_LIMITED: _ClassVar[EmptyReason]
    EMPTY_REASON_DRAINING: _ClassVar[EmptyReason]

class LeaseStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LEASE_STATUS_UNSPECIFIED: _ClassVar[LeaseStatus]
    LEASE_STATUS_EXTENDED: _ClassVar[LeaseStatus]
    LEASE_STATUS_LOST: _ClassVar[LeaseStatus]
    LEASE_STATUS_NOT_OWNED: _ClassVar[LeaseStatus]
    LEASE_STATUS_NOT_FOUND: _ClassVar[LeaseStatus]
    LEASE_STATUS_CANCEL_REQUESTED: _ClassVar[LeaseStatus]
WORKER_DIRECTIVE_ACTION_UNSPECIFIED: WorkerDirectiveAction
WORKER_DIRECTIVE_ACTION_QUIET: WorkerDirectiveAction
WORKER_DIRECTIVE_ACTION_DRAIN: WorkerDirectiveAction
WORKER_DIRECTIVE_ACTION_RECONNECT: WorkerDirectiveAction
EMPTY_REASON_UNSPECIFIED: EmptyReason
EMPTY_REASON_EMPTY: EmptyReason
EMPTY_REASON_PAUSED: EmptyReason
EMPTY_REASON_RATE_LIMITED: EmptyReason
EMPTY_REASON_CONCURRENCY_LIMITED: EmptyReason
EMPTY_REASON_DRAINING: EmptyReason
LEASE_STATUS_UNSPECIFIED: LeaseStatus
LEASE_STATUS_EXTENDED: LeaseStatus
LEASE_STATUS_LOST: LeaseStatus
LEASE_STATUS_NOT_OWNED: LeaseStatus
LEASE_STATUS_NOT_FOUND: LeaseStatus
LEASE_STATUS_CANCEL_REQUESTED: LeaseStatus

class SdkInfo(_message.Message):
    __slots__ = ("language", "version")
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    language: str
    version: str
    def __init__(self, language: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class WorkerInfo(_message.Message):
    __slots__ = ("worker_id", "session_id", "name", "sdk", "host", "pid", "labels")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SDK_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    session_id: str
    name: str
    sdk: SdkInfo
    host: str
    pid: int
    labels: _containers.ScalarMap[str, str]
    def __init__(self, worker_id: _Optional[str] = ..., session_id: _Optional[str] = ..., name: _Optional[str] = ..., sdk: _Optional[_Union[SdkInfo, _Mapping]] = ..., host: _Optional[str] = ..., pid: _Optional[int] = ..., labels: _Optional[_Mapping[str, str]] = ...) -> None: ...

class WorkerLoad(_message.Message):
    __slots__ = ("running", "capacity")
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    running: int
    capacity: int
    def __init__(self, running: _Optional[int] = ..., capacity: _Optional[int] = ...) -> None: ...

class WorkerDirective(_message.Message):
    __slots__ = ("action", "after", "reason")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    action: WorkerDirectiveAction
    after: _duration_pb2.Duration
    reason: str
    def __init__(self, action: _Optional[_Union[WorkerDirectiveAction, str]] = ..., after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class RateLimit(_message.Message):
    __slots__ = ("max", "duration")
    MAX_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    max: int
    duration: _duration_pb2.Duration
    def __init__(self, max: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LeaseRenewal(_message.Message):
    __slots__ = ("lease_token", "status", "lock_ttl")
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LOCK_TTL_FIELD_NUMBER: _ClassVar[int]
    lease_token: str
    status: LeaseStatus
    lock_ttl: _duration_pb2.Duration
    def __init__(self, lease_token: _Optional[str] = ..., status: _Optional[_Union[LeaseStatus, str]] = ..., lock_ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
