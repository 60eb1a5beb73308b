from echomq.v1 import worker_pb2 as _worker_pb2
from echomq.v1 import worker_stream_pb2 as _worker_stream_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
