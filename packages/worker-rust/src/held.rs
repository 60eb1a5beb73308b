//! The jobs in the worker's hands. Runs are told apart by token: the same job may be here twice.

use std::collections::HashMap;
use std::time::Instant;

use crate::echomq::v1::{DeliveredJob, HeldJob, JobLease, JobOutcome, RetryMode, WorkProgress};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use crate::handler::Handler;
use crate::outcomes::{failure, release, run_handler};

enum State {
    Buffered(Box<DeliveredJob>),
    Running(Option<AbortHandle>),
    Reported,
}

struct Run {
    lease: JobLease,
    state: State,
    /// When it was delivered.
    since: Instant,
    /// What is reported of a handler that is being stopped.
    stopped_as: Option<JobOutcome>,
}

/// What is to be reported of a job.
pub type Ending = (JobLease, JobOutcome);
/// How a handler's task ended.
pub type Ended = Result<(Id, JobOutcome), JoinError>;

/// All that was delivered and has not ended, in the order of delivery.
#[derive(Default)]
pub struct Held {
    runs: Vec<Run>,
    /// Handlers alive, those of lost jobs included.
    pub handlers: JoinSet<JobOutcome>,
    tokens: HashMap<Id, String>,
}

impl Held {
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn leases(&self) -> Vec<JobLease> {
        self.runs.iter().map(|run| run.lease.clone()).collect()
    }

    /// As heartbeats say it.
    pub fn named(&self) -> Vec<HeldJob> {
        let name = |run: &Run| HeldJob {
            lease_token: run.lease.lease_token.clone(),
            running: !matches!(run.state, State::Buffered(_)),
        };
        self.runs.iter().map(name).collect()
    }

    /// Handlers of lost jobs that have not stopped yet.
    pub fn zombies(&self) -> usize {
        let held = |token: &&String| self.runs.iter().any(|run| run.lease.lease_token == **token);
        self.tokens.values().filter(|token| !held(token)).count()
    }

    /// Its handler runs, and the lease holds.
    pub fn runs_now(&self, lease: &JobLease) -> bool {
        let runs = |run: &Run| matches!(run.state, State::Running(_));
        self.runs.iter().any(|run| run.lease.lease_token == lease.lease_token && runs(run))
    }

    pub fn add(&mut self, mut job: DeliveredJob) {
        let lease = job.lease.take().unwrap_or_default();
        let state = State::Buffered(Box::new(job));
        self.runs.push(Run { lease, state, since: Instant::now(), stopped_as: None });
    }

    /// Says running of as many as may begin, and hands them out: a heartbeat goes first.
    pub fn next(&mut self, concurrency: usize) -> Vec<DeliveredJob> {
        let free = concurrency.saturating_sub(self.handlers.len());
        let buffered = |run: &&mut Run| matches!(run.state, State::Buffered(_));
        let begin = |run: &mut Run| match std::mem::replace(&mut run.state, State::Running(None)) {
            State::Buffered(job) => Some(DeliveredJob { lease: Some(run.lease.clone()), ..*job }),
            _ => None,
        };
        self.runs.iter_mut().filter(buffered).take(free).filter_map(begin).collect()
    }

    /// Starts the handler of a job.
    pub fn start(
        &mut self,
        handler: &Handler,
        job: DeliveredJob,
        address: &str,
        progress: &UnboundedSender<WorkProgress>,
    ) {
        let lease = job.lease.clone().unwrap_or_default();
        let run = run_handler(handler.clone(), job, address.to_owned(), progress.clone());
        let task = self.handlers.spawn(run);
        self.tokens.insert(task.id(), lease.lease_token.clone());
        if let Some(run) = self.find(&lease.lease_token) {
            run.state = State::Running(Some(task));
        }
    }

    /// A handler has ended; nothing is to be reported of a lost job.
    pub fn ended(&mut self, ended: Ended) -> Option<Ending> {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let token = self.tokens.remove(&id)?;
        let run = self.find(&token)?;
        run.state = State::Reported;
        let outcome = match ended {
            Ok((_, outcome)) => outcome,
            Err(error) => {
                let stopped = || failure(error.to_string(), RetryMode::Default);
                run.stopped_as.take().unwrap_or_else(stopped)
            }
        };
        Some((run.lease.clone(), outcome))
    }

    /// A report was answered.
    pub fn over(&mut self, token: &str) {
        self.runs.retain(|run| run.lease.lease_token != token);
    }

    /// The lease is over: the handler is stopped. That of a reported job, its answer will say.
    pub fn lose(&mut self, token: &str) -> Option<Ending> {
        self.runs.retain_mut(|run| match &run.state {
            _ if run.lease.lease_token != token => true,
            State::Reported => true,
            State::Buffered(_) => false,
            State::Running(task) => {
                task.iter().for_each(AbortHandle::abort);
                false
            }
        });
        None
    }

    /// The worker's own clock says that leases may be over: so they are.
    pub fn lapse(&mut self, over: impl Fn(Instant) -> bool) {
        let lapsed = self.runs.iter().filter(|run| over(run.since));
        let tokens: Vec<_> = lapsed.map(|run| run.lease.lease_token.clone()).collect();
        tokens.iter().for_each(|token| drop(self.lose(token)));
    }

    /// Somebody asked to cancel the job.
    pub fn cancel(&mut self, token: &str) -> Option<Ending> {
        let outcome = failure("cancelled".into(), RetryMode::Default);
        self.stop(token, outcome, true)
    }

    /// The gateway wants the job back unless it has begun.
    pub fn recall(&mut self, token: &str) -> Option<Ending> {
        self.stop(token, release(), false)
    }

    /// Gives back what has not begun, and with `begun` all others, whose handlers are stopped.
    pub fn release_all(&mut self, begun: bool) -> Vec<Ending> {
        let tokens = self.leases().into_iter().map(|lease| lease.lease_token);
        tokens.filter_map(|token| self.stop(&token, release(), begun)).collect()
    }

    /// The stream is gone, and with it what had not begun.
    pub fn forget_buffered(&mut self) {
        self.runs.retain(|run| !matches!(run.state, State::Buffered(_)));
    }

    /// Ends a job that has not begun at once, and with `begun` another one when its handler has stopped.
    fn stop(&mut self, token: &str, outcome: JobOutcome, begun: bool) -> Option<Ending> {
        let run = self.find(token)?;
        match &run.state {
            State::Buffered(_) => {
                run.state = State::Reported;
                return Some((run.lease.clone(), outcome));
            }
            State::Running(Some(task)) if begun => {
                run.stopped_as = Some(outcome);
                task.abort();
            }
            _ => {}
        }
        None
    }

    fn find(&mut self, token: &str) -> Option<&mut Run> {
        self.runs.iter_mut().find(|run| run.lease.lease_token == token)
    }
}

#[cfg(test)]
mod tests;
