import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ServerLimits(_message.Message):
    __slots__ = ("max_payload_bytes", "max_return_value_bytes", "max_message_bytes", "max_response_bytes", "max_wait", "min_lock_duration", "max_lock_duration", "max_streams", "max_waiters", "max_jobs_per_fetch", "max_bulk_items", "max_page_size")
    MAX_PAYLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_RETURN_VALUE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_RESPONSE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_WAIT_FIELD_NUMBER: _ClassVar[int]
    MIN_LOCK_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_LOCK_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_STREAMS_FIELD_NUMBER: _ClassVar[int]
    MAX_WAITERS_FIELD_NUMBER: _ClassVar[int]
    MAX_JOBS_PER_FETCH_FIELD_NUMBER: _ClassVar[int]
    MAX_BULK_ITEMS_FIELD_NUMBER: _ClassVar[int]
    MAX_PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    max_payload_bytes: int
    max_return_value_bytes: int
    max_message_bytes: int
    max_response_bytes: int
    max_wait: _duration_pb2.Duration
    min_lock_duration: _duration_pb2.Duration
    max_lock_duration: _duration_pb2.Duration
    max_streams: int
    max_waiters: int
    max_jobs_per_fetch: int
    max_bulk_items: int
    max_page_size: int
    def __init__(self, max_payload_bytes: _Optional[int] = ..., max_return_value_bytes: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., max_response_bytes: _Optional[int] = ..., max_wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., min_lock_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_lock_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_streams: _Optional[int] = ..., max_waiters: _Optional[int] = ..., max_jobs_per_fetch: _Optional[int] = ..., max_bulk_items: _Optional[int] = ..., max_page_size: _Optional[int] = ...) -> None: ...

class StoreInfo(_message.Message):
    __slots__ = ("name", "version", "cluster")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    cluster: bool
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., cluster: bool = ...) -> None: ...

class ServerInfo(_message.Message):
    __slots__ = ("server_version", "api_versions", "capabilities", "limits", "time", "redis")
    class CapabilitiesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bool
        def __init__(self, key: _Optional[str] = ..., value: bool = ...) -> None: ...
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    API_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    REDIS_FIELD_NUMBER: _ClassVar[int]
    server_version: str
    api_versions: _containers.RepeatedScalarFieldContainer[str]
    capabilities: _containers.ScalarMap[str, bool]
    limits: ServerLimits
    time: _timestamp_pb2.Timestamp
    redis: StoreInfo
    def __init__(self, server_version: _Optional[str] = ..., api_versions: _Optional[_Iterable[str]] = ..., capabilities: _Optional[_Mapping[str, bool]] = ..., limits: _Optional[_Union[ServerLimits, _Mapping]] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., redis: _Optional[_Union[StoreInfo, _Mapping]] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("server_info",)
    SERVER_INFO_FIELD_NUMBER: _ClassVar[int]
    server_info: ServerInfo
    def __init__(self, server_info: _Optional[_Union[ServerInfo, _Mapping]] = ...) -> None: ...
