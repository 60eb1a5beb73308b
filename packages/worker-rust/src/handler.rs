//! What is asked of a handler, and what it may say.

use std::{error::Error, pin::Pin, sync::Arc};

use tokio::sync::mpsc::UnboundedSender;

use crate::echomq::v1::{DeliveredJob, JobLease, WorkProgress};

/// Why a job has not succeeded.
pub enum Failure {
    /// Whether it is tried again, the server decides.
    Attempt(Box<dyn Error + Send + Sync>),
    /// For good, whatever attempts are left.
    Final(String),
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Attempt(error.into())
    }
}

/// The way by which a handler tells how far its job is.
#[derive(Clone)]
pub struct Progress {
    lease: Option<JobLease>,
    sender: UnboundedSender<WorkProgress>,
}

impl Progress {
    pub(crate) fn new(lease: Option<JobLease>, sender: UnboundedSender<WorkProgress>) -> Self {
        Self { lease, sender }
    }

    /// Sends JSON, as the result is, and forgets it. After the end of the job it goes nowhere.
    pub fn tell(&self, json: impl Into<Vec<u8>>) {
        // Without a receiver the worker has ended.
        let _ = self.sender.send(WorkProgress { lease: self.lease.clone(), progress: json.into() });
    }
}

type Work = Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + Send>>;

/// A handler of whatever type.
pub type Handler = Arc<dyn Fn(DeliveredJob, Progress) -> Work + Send + Sync>;

/// Makes all handlers of one type.
pub fn boxed<H, F>(handler: H) -> Handler
where
    H: Fn(DeliveredJob, Progress) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Vec<u8>, Failure>> + Send + 'static,
{
    Arc::new(move |job, progress| Box::pin(handler(job, progress)))
}
