//! What is reported of a job.

use crate::echomq::v1::{
    CompleteOutcome, DeliveredJob, FailOutcome, JobOutcome, ReleaseOutcome, RetryMode,
    WorkProgress, job_outcome::Kind,
};
use tokio::sync::mpsc::UnboundedSender;

use crate::handler::{Failure, Handler, Progress};
use crate::stream::{MAX_MESSAGE, read_data};

/// Beyond it the message would break the stream; the gateway's own limit is lower.
const MAX_RESULT: usize = MAX_MESSAGE - 65_536;
const MAX_REASON: usize = 4_096;

/// Runs the handler of a job to its end, whatever that is.
pub async fn run_handler(
    handler: Handler,
    mut job: DeliveredJob,
    address: String,
    sender: UnboundedSender<WorkProgress>,
) -> JobOutcome {
    let lease = job.lease.clone();
    if let (true, Some(lease)) = (job.data_omitted, lease.clone()) {
        match read_data(&address, lease).await {
            Ok(data) => job.data = data,
            Err(error) => return failure(format!("no data: {error}"), RetryMode::Default),
        }
    }
    match handler(job, Progress::new(lease, sender)).await {
        Ok(result) if result.len() > MAX_RESULT => {
            let reason = format!("the result has {} bytes, too many for a message", result.len());
            failure(reason, RetryMode::Never)
        }
        Ok(return_value) => {
            JobOutcome { kind: Some(Kind::Complete(CompleteOutcome { return_value })) }
        }
        Err(Failure::Attempt(error)) => failure(error.to_string(), RetryMode::Default),
        Err(Failure::Final(reason)) => failure(reason, RetryMode::Never),
    }
}

/// The job goes back, to run next.
pub fn release() -> JobOutcome {
    JobOutcome { kind: Some(Kind::Release(ReleaseOutcome { to_front: true })) }
}

/// A failed attempt; whether another follows, the server decides.
pub fn failure(reason: String, retry: RetryMode) -> JobOutcome {
    let message = reason.chars().take(MAX_REASON).collect();
    let fail = FailOutcome {
        error_name: "Error".into(),
        message,
        retry: retry.into(),
        ..FailOutcome::default()
    };
    JobOutcome { kind: Some(Kind::Fail(fail)) }
}
