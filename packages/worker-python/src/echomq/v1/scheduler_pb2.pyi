import datetime

from echomq.v1 import job_pb2 as _job_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CronSchedule(_message.Message):
    __slots__ = ("expression", "time_zone")
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    expression: str
    time_zone: str
    def __init__(self, expression: _Optional[str] = ..., time_zone: _Optional[str] = ...) -> None: ...

class Schedule(_message.Message):
    __slots__ = ("every", "cron", "start_at", "end_at", "limit", "offset", "immediately")
    EVERY_FIELD_NUMBER: _ClassVar[int]
    CRON_FIELD_NUMBER: _ClassVar[int]
    START_AT_FIELD_NUMBER: _ClassVar[int]
    END_AT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    IMMEDIATELY_FIELD_NUMBER: _ClassVar[int]
    every: _duration_pb2.Duration
    cron: CronSchedule
    start_at: _timestamp_pb2.Timestamp
    end_at: _timestamp_pb2.Timestamp
    limit: int
    offset: _duration_pb2.Duration
    immediately: bool
    def __init__(self, every: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., cron: _Optional[_Union[CronSchedule, _Mapping]] = ..., start_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., limit: _Optional[int] = ..., offset: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., immediately: bool = ...) -> None: ...

class JobTemplate(_message.Message):
    __slots__ = ("name", "data", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    data: bytes
    options: _job_pb2.JobOptions
    def __init__(self, name: _Optional[str] = ..., data: _Optional[bytes] = ..., options: _Optional[_Union[_job_pb2.JobOptions, _Mapping]] = ...) -> None: ...

class Scheduler(_message.Message):
    __slots__ = ("queue", "scheduler_id", "schedule", "template", "next_run", "next_job_id", "iterations")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    SCHEDULER_ID_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    NEXT_RUN_FIELD_NUMBER: _ClassVar[int]
    NEXT_JOB_ID_FIELD_NUMBER: _ClassVar[int]
    ITERATIONS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    scheduler_id: str
    schedule: Schedule
    template: JobTemplate
    next_run: _timestamp_pb2.Timestamp
    next_job_id: str
    iterations: int
    def __init__(self, queue: _Optional[str] = ..., scheduler_id: _Optional[str] = ..., schedule: _Optional[_Union[Schedule, _Mapping]] = ..., template: _Optional[_Union[JobTemplate, _Mapping]] = ..., next_run: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., next_job_id: _Optional[str] = ..., iterations: _Optional[int] = ...) -> None: ...

class UpsertSchedulerRequest(_message.Message):
    __slots__ = ("queue", "scheduler_id", "schedule", "template", "request_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    SCHEDULER_ID_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    scheduler_id: str
    schedule: Schedule
    template: JobTemplate
    request_id: str
    def __init__(self, queue: _Optional[str] = ..., scheduler_id: _Optional[str] = ..., schedule: _Optional[_Union[Schedule, _Mapping]] = ..., template: _Optional[_Union[JobTemplate, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpsertSchedulerResponse(_message.Message):
    __slots__ = ("next_job_id", "next_run")
    NEXT_JOB_ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_RUN_FIELD_NUMBER: _ClassVar[int]
    next_job_id: str
    next_run: _timestamp_pb2.Timestamp
    def __init__(self, next_job_id: _Optional[str] = ..., next_run: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetSchedulerRequest(_message.Message):
    __slots__ = ("queue", "scheduler_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    SCHEDULER_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    scheduler_id: str
    def __init__(self, queue: _Optional[str] = ..., scheduler_id: _Optional[str] = ...) -> None: ...

class GetSchedulerResponse(_message.Message):
    __slots__ = ("scheduler",)
    SCHEDULER_FIELD_NUMBER: _ClassVar[int]
    scheduler: Scheduler
    def __init__(self, scheduler: _Optional[_Union[Scheduler, _Mapping]] = ...) -> None: ...

class ListSchedulersRequest(_message.Message):
    __slots__ = ("queue", "page_size", "page_token", "descending")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    DESCENDING_FIELD_NUMBER: _ClassVar[int]
    queue: str
    page_size: int
    page_token: str
    descending: bool
    def __init__(self, queue: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., descending: bool = ...) -> None: ...

class ListSchedulersResponse(_message.Message):
    __slots__ = ("schedulers", "next_page_token", "total")
    SCHEDULERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    schedulers: _containers.RepeatedCompositeFieldContainer[Scheduler]
    next_page_token: str
    total: int
    def __init__(self, schedulers: _Optional[_Iterable[_Union[Scheduler, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[int] = ...) -> None: ...

class RemoveSchedulerRequest(_message.Message):
    __slots__ = ("queue", "scheduler_id", "allow_missing")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    SCHEDULER_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    queue: str
    scheduler_id: str
    allow_missing: bool
    def __init__(self, queue: _Optional[str] = ..., scheduler_id: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class RemoveSchedulerResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: bool
    def __init__(self, removed: bool = ...) -> None: ...

class PreviewScheduleRequest(_message.Message):
    __slots__ = ("schedule", "count", "after")
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    schedule: Schedule
    count: int
    after: _timestamp_pb2.Timestamp
    def __init__(self, schedule: _Optional[_Union[Schedule, _Mapping]] = ..., count: _Optional[int] = ..., after: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class PreviewScheduleResponse(_message.Message):
    __slots__ = ("runs",)
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[_timestamp_pb2.Timestamp]
    def __init__(self, runs: _Optional[_Iterable[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]]] = ...) -> None: ...
