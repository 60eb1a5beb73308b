import datetime

from echomq.v1 import gateway_pb2 as _gateway_pb2
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

class JobSignalKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_SIGNAL_KIND_UNSPECIFIED: _ClassVar[JobSignalKind]
    JOB_SIGNAL_KIND_LOCK_LOST: _ClassVar[JobSignalKind]
    JOB_SIGNAL_KIND_CANCEL_REQUESTED: _ClassVar[JobSignalKind]
    JOB_SIGNAL_KIND_REMOVED: _ClassVar[JobSignalKind]
    JOB_SIGNAL_KIND_LOCK_MAX_LIFETIME: _ClassVar[JobSignalKind]
    JOB_SIGNAL_KIND_RECALL: _ClassVar[JobSignalKind]

class SubscriptionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUBSCRIPTION_STATE_UNSPECIFIED: _ClassVar[SubscriptionState]
    SUBSCRIPTION_STATE_IDLE: _ClassVar[SubscriptionState]
    SUBSCRIPTION_STATE_PAUSED: _ClassVar[SubscriptionState]
    SUBSCRIPTION_STATE_RATE_LIMITED: _ClassVar[SubscriptionState]
    SUBSCRIPTION_STATE_CONCURRENCY_LIMITED: _ClassVar[SubscriptionState]
JOB_SIGNAL_KIND_UNSPECIFIED: JobSignalKind
JOB_SIGNAL_KIND_LOCK_LOST: JobSignalKind
JOB_SIGNAL_KIND_CANCEL_REQUESTED: JobSignalKind
JOB_SIGNAL_KIND_REMOVED: JobSignalKind
JOB_SIGNAL_KIND_LOCK_MAX_LIFETIME: JobSignalKind
JOB_SIGNAL_KIND_RECALL: JobSignalKind
SUBSCRIPTION_STATE_UNSPECIFIED: SubscriptionState
SUBSCRIPTION_STATE_IDLE: SubscriptionState
SUBSCRIPTION_STATE_PAUSED: SubscriptionState
SUBSCRIPTION_STATE_RATE_LIMITED: SubscriptionState
SUBSCRIPTION_STATE_CONCURRENCY_LIMITED: SubscriptionState

class WorkRequest(_message.Message):
    __slots__ = ("open", "window", "report", "heartbeat", "progress", "logs", "drain", "reports")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    DRAIN_FIELD_NUMBER: _ClassVar[int]
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    open: WorkOpen
    window: WorkWindow
    report: WorkReport
    heartbeat: WorkHeartbeat
    progress: WorkProgress
    logs: WorkLogs
    drain: WorkDrain
    reports: WorkReports
    def __init__(self, open: _Optional[_Union[WorkOpen, _Mapping]] = ..., window: _Optional[_Union[WorkWindow, _Mapping]] = ..., report: _Optional[_Union[WorkReport, _Mapping]] = ..., heartbeat: _Optional[_Union[WorkHeartbeat, _Mapping]] = ..., progress: _Optional[_Union[WorkProgress, _Mapping]] = ..., logs: _Optional[_Union[WorkLogs, _Mapping]] = ..., drain: _Optional[_Union[WorkDrain, _Mapping]] = ..., reports: _Optional[_Union[WorkReports, _Mapping]] = ...) -> None: ...

class WorkOpen(_message.Message):
    __slots__ = ("worker", "subscriptions", "global_max_in_flight", "held", "epoch", "load", "features", "acked_through")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    GLOBAL_MAX_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    LOAD_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    ACKED_THROUGH_FIELD_NUMBER: _ClassVar[int]
    worker: _worker_session_pb2.WorkerInfo
    subscriptions: _containers.RepeatedCompositeFieldContainer[Subscription]
    global_max_in_flight: int
    held: _containers.RepeatedCompositeFieldContainer[_job_pb2.JobLease]
    epoch: int
    load: _worker_session_pb2.WorkerLoad
    features: _containers.RepeatedScalarFieldContainer[str]
    acked_through: int
    def __init__(self, worker: _Optional[_Union[_worker_session_pb2.WorkerInfo, _Mapping]] = ..., subscriptions: _Optional[_Iterable[_Union[Subscription, _Mapping]]] = ..., global_max_in_flight: _Optional[int] = ..., held: _Optional[_Iterable[_Union[_job_pb2.JobLease, _Mapping]]] = ..., epoch: _Optional[int] = ..., load: _Optional[_Union[_worker_session_pb2.WorkerLoad, _Mapping]] = ..., features: _Optional[_Iterable[str]] = ..., acked_through: _Optional[int] = ...) -> None: ...

class Subscription(_message.Message):
    __slots__ = ("queue", "max_in_flight", "max_in_flight_bytes", "lock_duration", "weight", "rate_limit")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_BYTES_FIELD_NUMBER: _ClassVar[int]
    LOCK_DURATION_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    max_in_flight: int
    max_in_flight_bytes: int
    lock_duration: _duration_pb2.Duration
    weight: int
    rate_limit: _worker_session_pb2.RateLimit
    def __init__(self, queue: _Optional[str] = ..., max_in_flight: _Optional[int] = ..., max_in_flight_bytes: _Optional[int] = ..., lock_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., weight: _Optional[int] = ..., rate_limit: _Optional[_Union[_worker_session_pb2.RateLimit, _Mapping]] = ...) -> None: ...

class WorkWindow(_message.Message):
    __slots__ = ("queue", "max_in_flight", "max_in_flight_bytes")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_BYTES_FIELD_NUMBER: _ClassVar[int]
    queue: str
    max_in_flight: int
    max_in_flight_bytes: int
    def __init__(self, queue: _Optional[str] = ..., max_in_flight: _Optional[int] = ..., max_in_flight_bytes: _Optional[int] = ...) -> None: ...

class WorkReport(_message.Message):
    __slots__ = ("report_id", "acked_through", "lease", "outcome", "progress", "logs")
    REPORT_ID_FIELD_NUMBER: _ClassVar[int]
    ACKED_THROUGH_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    report_id: int
    acked_through: int
    lease: _job_pb2.JobLease
    outcome: _outcome_pb2.JobOutcome
    progress: bytes
    logs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, report_id: _Optional[int] = ..., acked_through: _Optional[int] = ..., lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., outcome: _Optional[_Union[_outcome_pb2.JobOutcome, _Mapping]] = ..., progress: _Optional[bytes] = ..., logs: _Optional[_Iterable[str]] = ...) -> None: ...

class WorkReports(_message.Message):
    __slots__ = ("reports", "heartbeat")
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    reports: _containers.RepeatedCompositeFieldContainer[WorkReport]
    heartbeat: WorkHeartbeat
    def __init__(self, reports: _Optional[_Iterable[_Union[WorkReport, _Mapping]]] = ..., heartbeat: _Optional[_Union[WorkHeartbeat, _Mapping]] = ...) -> None: ...

class HeldJob(_message.Message):
    __slots__ = ("lease_token", "running")
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    lease_token: str
    running: bool
    def __init__(self, lease_token: _Optional[str] = ..., running: bool = ...) -> None: ...

class HeldSet(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[HeldJob]
    def __init__(self, jobs: _Optional[_Iterable[_Union[HeldJob, _Mapping]]] = ...) -> None: ...

class HeldDigest(_message.Message):
    __slots__ = ("digest", "count")
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    digest: bytes
    count: int
    def __init__(self, digest: _Optional[bytes] = ..., count: _Optional[int] = ...) -> None: ...

class WorkHeartbeat(_message.Message):
    __slots__ = ("seq", "held", "unchanged", "more", "acked_through", "load")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    ACKED_THROUGH_FIELD_NUMBER: _ClassVar[int]
    LOAD_FIELD_NUMBER: _ClassVar[int]
    seq: int
    held: HeldSet
    unchanged: HeldDigest
    more: HeldSet
    acked_through: int
    load: _worker_session_pb2.WorkerLoad
    def __init__(self, seq: _Optional[int] = ..., held: _Optional[_Union[HeldSet, _Mapping]] = ..., unchanged: _Optional[_Union[HeldDigest, _Mapping]] = ..., more: _Optional[_Union[HeldSet, _Mapping]] = ..., acked_through: _Optional[int] = ..., load: _Optional[_Union[_worker_session_pb2.WorkerLoad, _Mapping]] = ...) -> None: ...

class WorkProgress(_message.Message):
    __slots__ = ("lease", "progress")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    progress: bytes
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., progress: _Optional[bytes] = ...) -> None: ...

class WorkLogs(_message.Message):
    __slots__ = ("lease", "lines", "keep")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    lines: _containers.RepeatedScalarFieldContainer[str]
    keep: int
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., lines: _Optional[_Iterable[str]] = ..., keep: _Optional[int] = ...) -> None: ...

class WorkDrain(_message.Message):
    __slots__ = ("reason", "release_unstarted")
    REASON_FIELD_NUMBER: _ClassVar[int]
    RELEASE_UNSTARTED_FIELD_NUMBER: _ClassVar[int]
    reason: str
    release_unstarted: bool
    def __init__(self, reason: _Optional[str] = ..., release_unstarted: bool = ...) -> None: ...

class WorkResponse(_message.Message):
    __slots__ = ("opened", "delivery", "report_ack", "job_signal", "keepalive", "heartbeat_ack", "directive", "report_acks")
    OPENED_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    REPORT_ACK_FIELD_NUMBER: _ClassVar[int]
    JOB_SIGNAL_FIELD_NUMBER: _ClassVar[int]
    KEEPALIVE_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_ACK_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_FIELD_NUMBER: _ClassVar[int]
    REPORT_ACKS_FIELD_NUMBER: _ClassVar[int]
    opened: WorkOpened
    delivery: WorkDelivery
    report_ack: WorkReportAck
    job_signal: JobSignal
    keepalive: WorkKeepalive
    heartbeat_ack: WorkHeartbeatAck
    directive: _worker_session_pb2.WorkerDirective
    report_acks: WorkReportAcks
    def __init__(self, opened: _Optional[_Union[WorkOpened, _Mapping]] = ..., delivery: _Optional[_Union[WorkDelivery, _Mapping]] = ..., report_ack: _Optional[_Union[WorkReportAck, _Mapping]] = ..., job_signal: _Optional[_Union[JobSignal, _Mapping]] = ..., keepalive: _Optional[_Union[WorkKeepalive, _Mapping]] = ..., heartbeat_ack: _Optional[_Union[WorkHeartbeatAck, _Mapping]] = ..., directive: _Optional[_Union[_worker_session_pb2.WorkerDirective, _Mapping]] = ..., report_acks: _Optional[_Union[WorkReportAcks, _Mapping]] = ...) -> None: ...

class WorkOpened(_message.Message):
    __slots__ = ("session_id", "resume_ttl", "heartbeat_interval", "liveness_timeout", "accept_timeout", "keepalive_interval", "server_info", "adopted", "rejected")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TTL_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    LIVENESS_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    KEEPALIVE_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    SERVER_INFO_FIELD_NUMBER: _ClassVar[int]
    ADOPTED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    resume_ttl: _duration_pb2.Duration
    heartbeat_interval: _duration_pb2.Duration
    liveness_timeout: _duration_pb2.Duration
    accept_timeout: _duration_pb2.Duration
    keepalive_interval: _duration_pb2.Duration
    server_info: _gateway_pb2.ServerInfo
    adopted: _containers.RepeatedCompositeFieldContainer[_worker_session_pb2.LeaseRenewal]
    rejected: _containers.RepeatedCompositeFieldContainer[_worker_session_pb2.LeaseRenewal]
    def __init__(self, session_id: _Optional[str] = ..., resume_ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., heartbeat_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., liveness_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., accept_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., keepalive_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., server_info: _Optional[_Union[_gateway_pb2.ServerInfo, _Mapping]] = ..., adopted: _Optional[_Iterable[_Union[_worker_session_pb2.LeaseRenewal, _Mapping]]] = ..., rejected: _Optional[_Iterable[_Union[_worker_session_pb2.LeaseRenewal, _Mapping]]] = ...) -> None: ...

class WorkDelivery(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_job_pb2.DeliveredJob]
    def __init__(self, jobs: _Optional[_Iterable[_Union[_job_pb2.DeliveredJob, _Mapping]]] = ...) -> None: ...

class WorkReportAck(_message.Message):
    __slots__ = ("report_id", "result", "error")
    REPORT_ID_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    report_id: int
    result: _outcome_pb2.FinishResult
    error: _status_pb2.Status
    def __init__(self, report_id: _Optional[int] = ..., result: _Optional[_Union[_outcome_pb2.FinishResult, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class WorkReportAcks(_message.Message):
    __slots__ = ("acks", "delivery", "heartbeat_acks")
    ACKS_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_ACKS_FIELD_NUMBER: _ClassVar[int]
    acks: _containers.RepeatedCompositeFieldContainer[WorkReportAck]
    delivery: WorkDelivery
    heartbeat_acks: _containers.RepeatedCompositeFieldContainer[WorkHeartbeatAck]
    def __init__(self, acks: _Optional[_Iterable[_Union[WorkReportAck, _Mapping]]] = ..., delivery: _Optional[_Union[WorkDelivery, _Mapping]] = ..., heartbeat_acks: _Optional[_Iterable[_Union[WorkHeartbeatAck, _Mapping]]] = ...) -> None: ...

class JobSignal(_message.Message):
    __slots__ = ("lease", "kind", "detail")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    lease: _job_pb2.JobLease
    kind: JobSignalKind
    detail: str
    def __init__(self, lease: _Optional[_Union[_job_pb2.JobLease, _Mapping]] = ..., kind: _Optional[_Union[JobSignalKind, str]] = ..., detail: _Optional[str] = ...) -> None: ...

class SubscriptionStatus(_message.Message):
    __slots__ = ("queue", "state", "retry_after", "backlog")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    BACKLOG_FIELD_NUMBER: _ClassVar[int]
    queue: str
    state: SubscriptionState
    retry_after: _duration_pb2.Duration
    backlog: int
    def __init__(self, queue: _Optional[str] = ..., state: _Optional[_Union[SubscriptionState, str]] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., backlog: _Optional[int] = ...) -> None: ...

class WorkKeepalive(_message.Message):
    __slots__ = ("seq", "queues")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    seq: int
    queues: _containers.RepeatedCompositeFieldContainer[SubscriptionStatus]
    def __init__(self, seq: _Optional[int] = ..., queues: _Optional[_Iterable[_Union[SubscriptionStatus, _Mapping]]] = ...) -> None: ...

class WorkHeartbeatAck(_message.Message):
    __slots__ = ("seq", "leases")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    LEASES_FIELD_NUMBER: _ClassVar[int]
    seq: int
    leases: _containers.RepeatedCompositeFieldContainer[_worker_session_pb2.LeaseRenewal]
    def __init__(self, seq: _Optional[int] = ..., leases: _Optional[_Iterable[_Union[_worker_session_pb2.LeaseRenewal, _Mapping]]] = ...) -> None: ...
