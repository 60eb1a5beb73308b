from echomq.v1 import queue_pb2 as _queue_pb2
from echomq.v1 import queue_inspection_pb2 as _queue_inspection_pb2
from echomq.v1 import queue_jobs_pb2 as _queue_jobs_pb2
from echomq.v1 import queue_writes_pb2 as _queue_writes_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
