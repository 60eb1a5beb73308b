import datetime

from echomq.v1 import job_pb2 as _job_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JobView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_VIEW_UNSPECIFIED: _ClassVar[JobView]
    JOB_VIEW_BASIC: _ClassVar[JobView]
    JOB_VIEW_FULL: _ClassVar[JobView]

class SortOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SORT_ORDER_UNSPECIFIED: _ClassVar[SortOrder]
    SORT_ORDER_ASCENDING: _ClassVar[SortOrder]
    SORT_ORDER_DESCENDING: _ClassVar[SortOrder]
JOB_VIEW_UNSPECIFIED: JobView
JOB_VIEW_BASIC: JobView
JOB_VIEW_FULL: JobView
SORT_ORDER_UNSPECIFIED: SortOrder
SORT_ORDER_ASCENDING: SortOrder
SORT_ORDER_DESCENDING: SortOrder

class ListJobsRequest(_message.Message):
    __slots__ = ("queue", "states", "order", "page_size", "page_token", "view", "name_filter", "skip")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    NAME_FILTER_FIELD_NUMBER: _ClassVar[int]
    SKIP_FIELD_NUMBER: _ClassVar[int]
    queue: str
    states: _containers.RepeatedScalarFieldContainer[_job_pb2.JobState]
    order: SortOrder
    page_size: int
    page_token: str
    view: JobView
    name_filter: str
    skip: int
    def __init__(self, queue: _Optional[str] = ..., states: _Optional[_Iterable[_Union[_job_pb2.JobState, str]]] = ..., order: _Optional[_Union[SortOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[JobView, str]] = ..., name_filter: _Optional[str] = ..., skip: _Optional[int] = ...) -> None: ...

class ListJobsResponse(_message.Message):
    __slots__ = ("jobs", "next_page_token")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_job_pb2.Job]
    next_page_token: str
    def __init__(self, jobs: _Optional[_Iterable[_Union[_job_pb2.Job, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetJobRequest(_message.Message):
    __slots__ = ("queue", "job_id", "view")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    view: JobView
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., view: _Optional[_Union[JobView, str]] = ...) -> None: ...

class GetJobResponse(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ...) -> None: ...

class GetJobLogsRequest(_message.Message):
    __slots__ = ("queue", "job_id", "page_size", "page_token", "order")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    page_size: int
    page_token: str
    order: SortOrder
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[SortOrder, str]] = ...) -> None: ...

class GetJobLogsResponse(_message.Message):
    __slots__ = ("lines", "total", "next_page_token")
    LINES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedScalarFieldContainer[str]
    total: int
    next_page_token: str
    def __init__(self, lines: _Optional[_Iterable[str]] = ..., total: _Optional[int] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetJobStateRequest(_message.Message):
    __slots__ = ("queue", "job_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ...) -> None: ...

class GetJobStateResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: _job_pb2.JobState
    def __init__(self, state: _Optional[_Union[_job_pb2.JobState, str]] = ...) -> None: ...

class GetFlowRequest(_message.Message):
    __slots__ = ("job", "depth", "max_children", "view")
    JOB_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    MAX_CHILDREN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.JobRef
    depth: int
    max_children: int
    view: JobView
    def __init__(self, job: _Optional[_Union[_job_pb2.JobRef, _Mapping]] = ..., depth: _Optional[int] = ..., max_children: _Optional[int] = ..., view: _Optional[_Union[JobView, str]] = ...) -> None: ...

class DependencyCounts(_message.Message):
    __slots__ = ("pending", "processed", "failed", "ignored")
    PENDING_FIELD_NUMBER: _ClassVar[int]
    PROCESSED_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    IGNORED_FIELD_NUMBER: _ClassVar[int]
    pending: int
    processed: int
    failed: int
    ignored: int
    def __init__(self, pending: _Optional[int] = ..., processed: _Optional[int] = ..., failed: _Optional[int] = ..., ignored: _Optional[int] = ...) -> None: ...

class FlowTreeNode(_message.Message):
    __slots__ = ("job", "children", "dependencies")
    JOB_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    DEPENDENCIES_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    children: _containers.RepeatedCompositeFieldContainer[FlowTreeNode]
    dependencies: DependencyCounts
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ..., children: _Optional[_Iterable[_Union[FlowTreeNode, _Mapping]]] = ..., dependencies: _Optional[_Union[DependencyCounts, _Mapping]] = ...) -> None: ...

class GetFlowResponse(_message.Message):
    __slots__ = ("root",)
    ROOT_FIELD_NUMBER: _ClassVar[int]
    root: FlowTreeNode
    def __init__(self, root: _Optional[_Union[FlowTreeNode, _Mapping]] = ...) -> None: ...

class PromoteJobRequest(_message.Message):
    __slots__ = ("queue", "job_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ...) -> None: ...

class PromoteJobResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RetryJobRequest(_message.Message):
    __slots__ = ("queue", "job_id", "state", "reset_attempts")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    RESET_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    state: _job_pb2.JobState
    reset_attempts: bool
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., reset_attempts: bool = ...) -> None: ...

class RetryJobResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RetryJobsRequest(_message.Message):
    __slots__ = ("queue", "state", "name_filter", "older_than", "limit", "cursor", "reset_attempts")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    NAME_FILTER_FIELD_NUMBER: _ClassVar[int]
    OLDER_THAN_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    RESET_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    state: _job_pb2.JobState
    name_filter: str
    older_than: _duration_pb2.Duration
    limit: int
    cursor: str
    reset_attempts: bool
    def __init__(self, queue: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., name_filter: _Optional[str] = ..., older_than: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., limit: _Optional[int] = ..., cursor: _Optional[str] = ..., reset_attempts: bool = ...) -> None: ...

class RetryJobsResponse(_message.Message):
    __slots__ = ("moved", "next_cursor")
    MOVED_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    moved: int
    next_cursor: str
    def __init__(self, moved: _Optional[int] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class PromoteJobsRequest(_message.Message):
    __slots__ = ("queue", "name_filter", "limit", "cursor")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FILTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    queue: str
    name_filter: str
    limit: int
    cursor: str
    def __init__(self, queue: _Optional[str] = ..., name_filter: _Optional[str] = ..., limit: _Optional[int] = ..., cursor: _Optional[str] = ...) -> None: ...

class PromoteJobsResponse(_message.Message):
    __slots__ = ("moved", "next_cursor")
    MOVED_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    moved: int
    next_cursor: str
    def __init__(self, moved: _Optional[int] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class RemoveJobRequest(_message.Message):
    __slots__ = ("queue", "job_id", "remove_children", "force", "allow_missing")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    REMOVE_CHILDREN_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    remove_children: bool
    force: bool
    allow_missing: bool
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., remove_children: bool = ..., force: bool = ..., allow_missing: bool = ...) -> None: ...

class RemoveJobResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: bool
    def __init__(self, removed: bool = ...) -> None: ...

class CancelJobRequest(_message.Message):
    __slots__ = ("queue", "job_id", "force")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    force: bool
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., force: bool = ...) -> None: ...

class CancelJobResponse(_message.Message):
    __slots__ = ("delivered", "state")
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    delivered: bool
    state: _job_pb2.JobState
    def __init__(self, delivered: bool = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ...) -> None: ...

class UpdateJobPriorityRequest(_message.Message):
    __slots__ = ("queue", "job_id", "priority", "lifo")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    LIFO_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    priority: int
    lifo: bool
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., priority: _Optional[int] = ..., lifo: bool = ...) -> None: ...

class UpdateJobPriorityResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UpdateJobDelayRequest(_message.Message):
    __slots__ = ("queue", "job_id", "delay")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    delay: _duration_pb2.Duration
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class UpdateJobDelayResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UpdateJobOptionsRequest(_message.Message):
    __slots__ = ("queue", "job_id", "options")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_id: str
    options: _job_pb2.JobOptions
    def __init__(self, queue: _Optional[str] = ..., job_id: _Optional[str] = ..., options: _Optional[_Union[_job_pb2.JobOptions, _Mapping]] = ...) -> None: ...

class UpdateJobOptionsResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
