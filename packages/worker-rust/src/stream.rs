//! The way to the gateway: one connection for each stream, and how a stream ended.

use std::time::Duration;

use crate::echomq::v1::{
    GetJobDataRequest, JobLease, WorkOpened, WorkRequest, WorkResponse,
    get_job_data_request::Target, work_request::Message as Say, work_response::Message as Hear,
    worker_service_client::WorkerServiceClient,
};
use crate::google::rpc::{ErrorInfo, RetryInfo, Status};
use prost::Message;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, Streaming, transport::Channel, transport::Endpoint};

/// What a message may have each way; a delivery has at most 3.5 MiB.
pub const MAX_MESSAGE: usize = 4 << 20;

const OPENED_WITHIN: Duration = Duration::from_secs(10);
const READ_LIMIT: Duration = Duration::from_secs(60);

/// The machine-readable part of an error.
#[derive(Debug, Default)]
pub struct Facts {
    pub reason: String,
    pub message: String,
    pub retry_after: Option<Duration>,
}

impl Facts {
    pub fn message(message: impl ToString) -> Self {
        Self { message: message.to_string(), ..Self::default() }
    }
}

impl From<&Status> for Facts {
    fn from(status: &Status) -> Self {
        let mut facts = Self::message(&status.message);
        for detail in &status.details {
            let kind = detail.type_url.rsplit('/').next().unwrap_or_default();
            let value = detail.value.as_slice();
            if kind == "google.rpc.ErrorInfo" {
                facts.reason = ErrorInfo::decode(value).unwrap_or_default().reason;
            } else if kind == "google.rpc.RetryInfo" {
                let delay = RetryInfo::decode(value).unwrap_or_default().retry_delay;
                facts.retry_after = Some(duration(delay));
            }
        }
        facts
    }
}

impl From<tonic::Status> for Facts {
    fn from(status: tonic::Status) -> Self {
        match Status::decode(status.details()) {
            Ok(inner) if !inner.details.is_empty() => Self::from(&inner),
            _ => Self::message(format_args!("{:?} {}", status.code(), status.message())),
        }
    }
}

/// Absent and negative ones are none.
pub fn duration(given: Option<prost_types::Duration>) -> Duration {
    given.and_then(|given| given.try_into().ok()).unwrap_or_default()
}

/// A stream that the gateway has answered.
pub struct Opened {
    pub out: UnboundedSender<WorkRequest>,
    pub messages: Streaming<WorkResponse>,
    pub opened: WorkOpened,
}

/// Opens a stream over a connection of its own, so that a balancer can choose another gateway.
pub async fn open(address: String, first: Say) -> Result<Opened, Facts> {
    match timeout(OPENED_WITHIN, ask(&address, first)).await {
        Ok(opened) => opened.map_err(Facts::from),
        Err(_) => Err(Facts::message("the gateway does not answer")),
    }
}

async fn ask(address: &str, first: Say) -> Result<Opened, tonic::Status> {
    let (out, requests) = unbounded_channel();
    // The receiver is here: it takes it.
    let _ = out.send(WorkRequest { message: Some(first) });
    let requests = UnboundedReceiverStream::new(requests);
    let mut messages = connect(address).await?.work(requests).await?.into_inner();
    while let Some(WorkResponse { message }) = messages.message().await? {
        if let Some(Hear::Opened(opened)) = message {
            return Ok(Opened { out, messages, opened });
        }
    }
    Err(tonic::Status::unavailable("the gateway ended the stream before it had answered"))
}

/// The payload that a delivery has left out. Over its own connection: it outlives streams.
pub async fn read_data(address: &str, lease: JobLease) -> Result<Vec<u8>, tonic::Status> {
    let mut request = Request::new(GetJobDataRequest { target: Some(Target::Lease(lease)) });
    request.set_timeout(READ_LIMIT);
    let mut parts = connect(address).await?.get_job_data(request).await?.into_inner();
    let mut data = Vec::new();
    while let Some(part) = parts.message().await? {
        data.extend(part.chunk);
    }
    Ok(data)
}

async fn connect(address: &str) -> Result<WorkerServiceClient<Channel>, tonic::Status> {
    let invalid = |error| tonic::Status::unavailable(format!("{address}: {error:?}"));
    let channel = Endpoint::from_shared(format!("http://{address}"))
        .map_err(invalid)?
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20))
        .connect()
        .await
        .map_err(invalid)?;
    Ok(WorkerServiceClient::new(channel)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE))
}
