import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FaultKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_KIND_UNSPECIFIED: _ClassVar[FaultKind]
    FAULT_KIND_IN_TWO_PLACES: _ClassVar[FaultKind]
    FAULT_KIND_JOB_MISSING: _ClassVar[FaultKind]
    FAULT_KIND_JOB_LOST: _ClassVar[FaultKind]
    FAULT_KIND_LEASE_MISSING: _ClassVar[FaultKind]
    FAULT_KIND_LEASE_STRAY: _ClassVar[FaultKind]
    FAULT_KIND_MARKER_MISSING: _ClassVar[FaultKind]
    FAULT_KIND_PARENT_STUCK: _ClassVar[FaultKind]
    FAULT_KIND_DEDUPLICATION_STRAY: _ClassVar[FaultKind]
    FAULT_KIND_PARKED: _ClassVar[FaultKind]
    FAULT_KIND_LEGACY_KEY: _ClassVar[FaultKind]
    FAULT_KIND_LEGACY_ENTRY: _ClassVar[FaultKind]
    FAULT_KIND_SCHEDULER_STOPPED: _ClassVar[FaultKind]
    FAULT_KIND_SCHEDULER_MISSING: _ClassVar[FaultKind]
    FAULT_KIND_WRONG_TYPE: _ClassVar[FaultKind]
FAULT_KIND_UNSPECIFIED: FaultKind
FAULT_KIND_IN_TWO_PLACES: FaultKind
FAULT_KIND_JOB_MISSING: FaultKind
FAULT_KIND_JOB_LOST: FaultKind
FAULT_KIND_LEASE_MISSING: FaultKind
FAULT_KIND_LEASE_STRAY: FaultKind
FAULT_KIND_MARKER_MISSING: FaultKind
FAULT_KIND_PARENT_STUCK: FaultKind
FAULT_KIND_DEDUPLICATION_STRAY: FaultKind
FAULT_KIND_PARKED: FaultKind
FAULT_KIND_LEGACY_KEY: FaultKind
FAULT_KIND_LEGACY_ENTRY: FaultKind
FAULT_KIND_SCHEDULER_STOPPED: FaultKind
FAULT_KIND_SCHEDULER_MISSING: FaultKind
FAULT_KIND_WRONG_TYPE: FaultKind

class Fault(_message.Message):
    __slots__ = ("kind", "subject", "other", "why", "unsettled", "evidence", "seen_at")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    UNSETTLED_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    SEEN_AT_FIELD_NUMBER: _ClassVar[int]
    kind: FaultKind
    subject: str
    other: str
    why: str
    unsettled: bool
    evidence: str
    seen_at: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[_Union[FaultKind, str]] = ..., subject: _Optional[str] = ..., other: _Optional[str] = ..., why: _Optional[str] = ..., unsettled: bool = ..., evidence: _Optional[str] = ..., seen_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class InspectQueueRequest(_message.Message):
    __slots__ = ("queue", "page_token", "again")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    queue: str
    page_token: str
    again: _containers.RepeatedCompositeFieldContainer[Fault]
    def __init__(self, queue: _Optional[str] = ..., page_token: _Optional[str] = ..., again: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ...) -> None: ...

class InspectQueueResponse(_message.Message):
    __slots__ = ("faults", "next_page_token", "looked_at")
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LOOKED_AT_FIELD_NUMBER: _ClassVar[int]
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    next_page_token: str
    looked_at: int
    def __init__(self, faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., looked_at: _Optional[int] = ...) -> None: ...

class RepairQueueRequest(_message.Message):
    __slots__ = ("queue", "faults")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    def __init__(self, queue: _Optional[str] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ...) -> None: ...

class Repair(_message.Message):
    __slots__ = ("fault", "done")
    FAULT_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    fault: Fault
    done: str
    def __init__(self, fault: _Optional[_Union[Fault, _Mapping]] = ..., done: _Optional[str] = ...) -> None: ...

class RepairQueueResponse(_message.Message):
    __slots__ = ("repairs",)
    REPAIRS_FIELD_NUMBER: _ClassVar[int]
    repairs: _containers.RepeatedCompositeFieldContainer[Repair]
    def __init__(self, repairs: _Optional[_Iterable[_Union[Repair, _Mapping]]] = ...) -> None: ...
