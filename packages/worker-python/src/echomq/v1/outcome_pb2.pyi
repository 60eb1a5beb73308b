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

class RetryMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RETRY_MODE_UNSPECIFIED: _ClassVar[RetryMode]
    RETRY_MODE_DEFAULT: _ClassVar[RetryMode]
    RETRY_MODE_NEVER: _ClassVar[RetryMode]

class Disposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DISPOSITION_UNSPECIFIED: _ClassVar[Disposition]
    DISPOSITION_COMPLETED: _ClassVar[Disposition]
    DISPOSITION_FAILED: _ClassVar[Disposition]
    DISPOSITION_RETRY_SCHEDULED: _ClassVar[Disposition]
    DISPOSITION_RETRY_QUEUED: _ClassVar[Disposition]
    DISPOSITION_RELEASED: _ClassVar[Disposition]
    DISPOSITION_DELAYED: _ClassVar[Disposition]
    DISPOSITION_WAITING_CHILDREN: _ClassVar[Disposition]
RETRY_MODE_UNSPECIFIED: RetryMode
RETRY_MODE_DEFAULT: RetryMode
RETRY_MODE_NEVER: RetryMode
DISPOSITION_UNSPECIFIED: Disposition
DISPOSITION_COMPLETED: Disposition
DISPOSITION_FAILED: Disposition
DISPOSITION_RETRY_SCHEDULED: Disposition
DISPOSITION_RETRY_QUEUED: Disposition
DISPOSITION_RELEASED: Disposition
DISPOSITION_DELAYED: Disposition
DISPOSITION_WAITING_CHILDREN: Disposition

class JobOutcome(_message.Message):
    __slots__ = ("complete", "fail", "release", "delay", "await_children", "rate_limited")
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    FAIL_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    AWAIT_CHILDREN_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMITED_FIELD_NUMBER: _ClassVar[int]
    complete: CompleteOutcome
    fail: FailOutcome
    release: ReleaseOutcome
    delay: DelayOutcome
    await_children: AwaitChildrenOutcome
    rate_limited: RateLimitedOutcome
    def __init__(self, complete: _Optional[_Union[CompleteOutcome, _Mapping]] = ..., fail: _Optional[_Union[FailOutcome, _Mapping]] = ..., release: _Optional[_Union[ReleaseOutcome, _Mapping]] = ..., delay: _Optional[_Union[DelayOutcome, _Mapping]] = ..., await_children: _Optional[_Union[AwaitChildrenOutcome, _Mapping]] = ..., rate_limited: _Optional[_Union[RateLimitedOutcome, _Mapping]] = ...) -> None: ...

class CompleteOutcome(_message.Message):
    __slots__ = ("return_value",)
    RETURN_VALUE_FIELD_NUMBER: _ClassVar[int]
    return_value: bytes
    def __init__(self, return_value: _Optional[bytes] = ...) -> None: ...

class FailOutcome(_message.Message):
    __slots__ = ("error_name", "message", "stack", "retry", "retry_delay", "details")
    ERROR_NAME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    STACK_FIELD_NUMBER: _ClassVar[int]
    RETRY_FIELD_NUMBER: _ClassVar[int]
    RETRY_DELAY_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    error_name: str
    message: str
    stack: _containers.RepeatedScalarFieldContainer[str]
    retry: RetryMode
    retry_delay: _duration_pb2.Duration
    details: bytes
    def __init__(self, error_name: _Optional[str] = ..., message: _Optional[str] = ..., stack: _Optional[_Iterable[str]] = ..., retry: _Optional[_Union[RetryMode, str]] = ..., retry_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., details: _Optional[bytes] = ...) -> None: ...

class ReleaseOutcome(_message.Message):
    __slots__ = ("to_front",)
    TO_FRONT_FIELD_NUMBER: _ClassVar[int]
    to_front: bool
    def __init__(self, to_front: bool = ...) -> None: ...

class DelayOutcome(_message.Message):
    __slots__ = ("delay", "until", "skip_attempt")
    DELAY_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    SKIP_ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    delay: _duration_pb2.Duration
    until: _timestamp_pb2.Timestamp
    skip_attempt: bool
    def __init__(self, delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., skip_attempt: bool = ...) -> None: ...

class AwaitChildrenOutcome(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RateLimitedOutcome(_message.Message):
    __slots__ = ("duration",)
    DURATION_FIELD_NUMBER: _ClassVar[int]
    duration: _duration_pb2.Duration
    def __init__(self, duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class FinishResult(_message.Message):
    __slots__ = ("disposition", "attempts_made", "retry_in", "replayed")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_MADE_FIELD_NUMBER: _ClassVar[int]
    RETRY_IN_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    disposition: Disposition
    attempts_made: int
    retry_in: _duration_pb2.Duration
    replayed: bool
    def __init__(self, disposition: _Optional[_Union[Disposition, str]] = ..., attempts_made: _Optional[int] = ..., retry_in: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., replayed: bool = ...) -> None: ...
