from echomq.v1 import worker_pb2 as _worker_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SetJobDataRequest(_message.Message):
    __slots__ = ("queue", "job_id", "data")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    data: bytes
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class SetJobDataResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetJobProgressRequest(_message.Message):
    __slots__ = ("queue", "job_id", "progress")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    progress: bytes
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., progress: _Optional[bytes] = ...) -> None: ...

class SetJobProgressResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AddJobLogsRequest(_message.Message):
    __slots__ = ("queue", "job_id", "lines", "keep", "request_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    lines: _containers.RepeatedScalarFieldContainer[str]
    keep: int
    request_id: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., lines: _Optional[_Iterable[str]] = ..., keep: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class AddJobLogsResponse(_message.Message):
    __slots__ = ("total",)
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    total: int
    def __init__(self, total: _Optional[int] = ...) -> None: ...

class ClearJobLogsRequest(_message.Message):
    __slots__ = ("queue", "job_id", "keep")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    keep: int
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., keep: _Optional[int] = ...) -> None: ...

class ClearJobLogsResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: int
    def __init__(self, removed: _Optional[int] = ...) -> None: ...

class ListChildrenRequest(_message.Message):
    __slots__ = ("queue", "job_id", "filter", "page_size", "page_token")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    filter: _worker_pb2.ChildFilter
    page_size: int
    page_token: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., filter: _Optional[_Union[_worker_pb2.ChildFilter, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListChildrenResponse(_message.Message):
    __slots__ = ("children", "next_page_token")
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    children: _containers.RepeatedCompositeFieldContainer[_worker_pb2.ChildValue]
    next_page_token: str
    def __init__(self, children: _Optional[_Iterable[_Union[_worker_pb2.ChildValue, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RemoveChildDependencyRequest(_message.Message):
    __slots__ = ("queue", "job_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ...) -> None: ...

class RemoveChildDependencyResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: bool
    def __init__(self, removed: bool = ...) -> None: ...

class RemoveUnprocessedChildrenRequest(_message.Message):
    __slots__ = ("queue", "job_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ...) -> None: ...

class RemoveUnprocessedChildrenResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: int
    def __init__(self, removed: _Optional[int] = ...) -> None: ...
