"""Adds and takes jobs over the stubs alone, byte for byte: the Python part of the payload table.

payloads.py write ADDRESS QUEUE,QUEUE FOLDER   adds a job for each file; its name is the file's
payloads.py read ADDRESS QUEUE,QUEUE           takes all, prints "QUEUE NAME SHA-256" of each
"""

import hashlib
import sys
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration

from echomq.v1.outcome_pb2 import CompleteOutcome, FailOutcome, JobOutcome
from echomq.v1.producer_pb2 import AddJobRequest
from echomq.v1.producer_service_pb2_grpc import ProducerServiceStub
from echomq.v1.worker_pb2 import FetchJobsRequest, FinishJobRequest
from echomq.v1.worker_service_pb2_grpc import WorkerServiceStub
from echomq.v1.worker_session_pb2 import WorkerInfo

ME = WorkerInfo(worker_id="payloads", session_id="python", name="payloads")


def write(channel: grpc.Channel, queue: str, folder: Path) -> None:
    producer: Any = ProducerServiceStub(channel)
    for file in sorted(folder.iterdir()):
        request = AddJobRequest(queue=queue, name=file.name, data=file.read_bytes())
        producer.AddJob(request, timeout=10)


def read(channel: grpc.Channel, queue: str) -> None:
    worker: Any = WorkerServiceStub(channel)
    fetch = FetchJobsRequest(queue=queue, worker=ME, max_jobs=10, wait=Duration(seconds=0))
    while jobs := worker.FetchJobs(fetch, timeout=10).jobs:
        for job in jobs:
            print(queue, job.name, hashlib.sha256(job.data).hexdigest())
            try:
                job.data.decode("utf-8")
                outcome = JobOutcome(complete=CompleteOutcome(return_value=job.data))
            except UnicodeDecodeError as error:
                fail = FailOutcome(error_name="UnicodeDecodeError", message=str(error))
                outcome = JobOutcome(fail=fail)
            finish = FinishJobRequest(lease=job.lease, worker=ME, outcome=outcome)
            worker.FinishJob(finish, timeout=30)


if __name__ == "__main__":
    what, address, queues, *rest = sys.argv[1:]
    with grpc.insecure_channel(address) as opened:
        for each in queues.split(","):
            if what == "write":
                write(opened, each, Path(rest[0]))
            else:
                read(opened, each)
