import datetime

from echomq.v1 import job_pb2 as _job_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AddOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADD_OUTCOME_UNSPECIFIED: _ClassVar[AddOutcome]
    ADD_OUTCOME_CREATED: _ClassVar[AddOutcome]
    ADD_OUTCOME_EXISTING: _ClassVar[AddOutcome]
    ADD_OUTCOME_DEDUPLICATED: _ClassVar[AddOutcome]
    ADD_OUTCOME_REPLACED: _ClassVar[AddOutcome]
    ADD_OUTCOME_QUEUED_AS_NEXT: _ClassVar[AddOutcome]

class AddMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADD_MODE_UNSPECIFIED: _ClassVar[AddMode]
    ADD_MODE_ATOMIC: _ClassVar[AddMode]
    ADD_MODE_PER_ITEM: _ClassVar[AddMode]
ADD_OUTCOME_UNSPECIFIED: AddOutcome
ADD_OUTCOME_CREATED: AddOutcome
ADD_OUTCOME_EXISTING: AddOutcome
ADD_OUTCOME_DEDUPLICATED: AddOutcome
ADD_OUTCOME_REPLACED: AddOutcome
ADD_OUTCOME_QUEUED_AS_NEXT: AddOutcome
ADD_MODE_UNSPECIFIED: AddMode
ADD_MODE_ATOMIC: AddMode
ADD_MODE_PER_ITEM: AddMode

class AddJobRequest(_message.Message):
    __slots__ = ("queue", "name", "data", "options", "parent", "request_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    name: str
    data: bytes
    options: _job_pb2.JobOptions
    parent: _job_pb2.JobRef
    request_id: str
    def __init__(self, queue: _Optional[str] = ..., name: _Optional[str] = ..., data: _Optional[bytes] = ..., options: _Optional[_Union[_job_pb2.JobOptions, _Mapping]] = ..., parent: _Optional[_Union[_job_pb2.JobRef, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class AddJobResponse(_message.Message):
    __slots__ = ("job_id", "outcome", "existing_job_id", "state", "replayed")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    EXISTING_JOB_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    outcome: AddOutcome
    existing_job_id: str
    state: _job_pb2.JobState
    replayed: bool
    def __init__(self, job_id: _Optional[str] = ..., outcome: _Optional[_Union[AddOutcome, str]] = ..., existing_job_id: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., replayed: bool = ...) -> None: ...

class AddJobItem(_message.Message):
    __slots__ = ("queue", "name", "data", "options", "parent")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    name: str
    data: bytes
    options: _job_pb2.JobOptions
    parent: _job_pb2.JobRef
    def __init__(self, queue: _Optional[str] = ..., name: _Optional[str] = ..., data: _Optional[bytes] = ..., options: _Optional[_Union[_job_pb2.JobOptions, _Mapping]] = ..., parent: _Optional[_Union[_job_pb2.JobRef, _Mapping]] = ...) -> None: ...

class AddJobsRequest(_message.Message):
    __slots__ = ("queue", "items", "mode", "request_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    items: _containers.RepeatedCompositeFieldContainer[AddJobItem]
    mode: AddMode
    request_id: str
    def __init__(self, queue: _Optional[str] = ..., items: _Optional[_Iterable[_Union[AddJobItem, _Mapping]]] = ..., mode: _Optional[_Union[AddMode, str]] = ..., request_id: _Optional[str] = ...) -> None: ...

class AddedJob(_message.Message):
    __slots__ = ("job_id", "outcome", "existing_job_id", "state")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    EXISTING_JOB_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    outcome: AddOutcome
    existing_job_id: str
    state: _job_pb2.JobState
    def __init__(self, job_id: _Optional[str] = ..., outcome: _Optional[_Union[AddOutcome, str]] = ..., existing_job_id: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ...) -> None: ...

class AddJobResult(_message.Message):
    __slots__ = ("added", "error")
    ADDED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    added: AddedJob
    error: _status_pb2.Status
    def __init__(self, added: _Optional[_Union[AddedJob, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class AddJobsResponse(_message.Message):
    __slots__ = ("results", "duplicate_request")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_REQUEST_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[AddJobResult]
    duplicate_request: bool
    def __init__(self, results: _Optional[_Iterable[_Union[AddJobResult, _Mapping]]] = ..., duplicate_request: bool = ...) -> None: ...

class FlowNode(_message.Message):
    __slots__ = ("queue", "name", "data", "options", "children")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    queue: str
    name: str
    data: bytes
    options: _job_pb2.JobOptions
    children: _containers.RepeatedCompositeFieldContainer[FlowNode]
    def __init__(self, queue: _Optional[str] = ..., name: _Optional[str] = ..., data: _Optional[bytes] = ..., options: _Optional[_Union[_job_pb2.JobOptions, _Mapping]] = ..., children: _Optional[_Iterable[_Union[FlowNode, _Mapping]]] = ...) -> None: ...

class AddFlowRequest(_message.Message):
    __slots__ = ("root", "request_id", "parent")
    ROOT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    root: FlowNode
    request_id: str
    parent: _job_pb2.JobRef
    def __init__(self, root: _Optional[_Union[FlowNode, _Mapping]] = ..., request_id: _Optional[str] = ..., parent: _Optional[_Union[_job_pb2.JobRef, _Mapping]] = ...) -> None: ...

class AddedFlowNode(_message.Message):
    __slots__ = ("queue", "job_id", "state", "children")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    state: _job_pb2.JobState
    children: _containers.RepeatedCompositeFieldContainer[AddedFlowNode]
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., children: _Optional[_Iterable[_Union[AddedFlowNode, _Mapping]]] = ...) -> None: ...

class AddFlowResponse(_message.Message):
    __slots__ = ("root", "replayed")
    ROOT_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    root: AddedFlowNode
    replayed: bool
    def __init__(self, root: _Optional[_Union[AddedFlowNode, _Mapping]] = ..., replayed: bool = ...) -> None: ...

class WaitJobRequest(_message.Message):
    __slots__ = ("queue", "job_id", "wait", "include_result")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_RESULT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    wait: _duration_pb2.Duration
    include_result: bool
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., include_result: bool = ...) -> None: ...

class WaitJobResponse(_message.Message):
    __slots__ = ("state", "finished", "return_value", "failed_reason", "finished_at")
    STATE_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    RETURN_VALUE_FIELD_NUMBER: _ClassVar[int]
    FAILED_REASON_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    state: _job_pb2.JobState
    finished: bool
    return_value: bytes
    failed_reason: str
    finished_at: _timestamp_pb2.Timestamp
    def __init__(self, state: _Optional[_Union[_job_pb2.JobState, str]] = ..., finished: bool = ..., return_value: _Optional[bytes] = ..., failed_reason: _Optional[str] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
