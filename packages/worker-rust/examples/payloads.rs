//! Adds and takes jobs over the stubs alone, byte for byte: the Rust part of the payload table.
//!
//! `payloads write ADDRESS QUEUE,QUEUE FOLDER` adds a job for each file; its name is the file's.
//! `payloads read ADDRESS QUEUE,QUEUE` takes all, prints "QUEUE NAME SHA-256" of each, brings the data back.

use std::{env::args, error::Error, fs};

use echomq_worker::echomq::v1::{
    AddJobRequest, CompleteOutcome, FailOutcome, FetchJobsRequest, FinishJobRequest, JobOutcome,
    WorkerInfo, job_outcome::Kind, producer_service_client::ProducerServiceClient,
    worker_service_client::WorkerServiceClient,
};
use sha2::{Digest, Sha256};
use tonic::transport::{Channel, Endpoint};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = args().skip(1).collect();
    let [what, address, queues, rest @ ..] = given.as_slice() else {
        return Err("write or read, an address, queues".into());
    };
    let channel = Endpoint::from_shared(format!("http://{address}"))?.connect().await?;
    for queue in queues.split(',') {
        match (what.as_str(), rest) {
            ("write", [folder]) => write(channel.clone(), queue, folder).await?,
            _ => read(channel.clone(), queue).await?,
        }
    }
    Ok(())
}

async fn write(channel: Channel, queue: &str, folder: &str) -> Result<(), Box<dyn Error>> {
    let mut producer = ProducerServiceClient::new(channel);
    for file in fs::read_dir(folder)? {
        let file = file?;
        let request = AddJobRequest {
            queue: queue.into(),
            name: file.file_name().to_string_lossy().into(),
            data: fs::read(file.path())?,
            ..AddJobRequest::default()
        };
        producer.add_job(request).await?;
    }
    Ok(())
}

async fn read(channel: Channel, queue: &str) -> Result<(), Box<dyn Error>> {
    let mut worker = WorkerServiceClient::new(channel);
    let me = WorkerInfo {
        worker_id: "payloads".into(),
        session_id: "rust".into(),
        name: "payloads".into(),
        ..WorkerInfo::default()
    };
    let fetch = FetchJobsRequest {
        queue: queue.into(),
        worker: Some(me.clone()),
        max_jobs: 3, // Of a megabyte at most: tonic takes 4 MiB in a message.
        wait: Some(prost_types::Duration::default()),
        ..FetchJobsRequest::default()
    };
    loop {
        let jobs = worker.fetch_jobs(fetch.clone()).await?.into_inner().jobs;
        if jobs.is_empty() {
            return Ok(());
        }
        for job in jobs {
            let sum: String =
                Sha256::digest(&job.data).iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{queue} {} {sum}", job.name);
            let kind = match std::str::from_utf8(&job.data) {
                Ok(_) => Kind::Complete(CompleteOutcome { return_value: job.data }),
                Err(error) => Kind::Fail(FailOutcome {
                    error_name: "Utf8Error".into(),
                    message: error.to_string(),
                    ..FailOutcome::default()
                }),
            };
            let finish = FinishJobRequest {
                lease: job.lease,
                worker: Some(me.clone()),
                outcome: Some(JobOutcome { kind: Some(kind) }),
                ..FinishJobRequest::default()
            };
            worker.finish_job(finish).await?;
        }
    }
}
