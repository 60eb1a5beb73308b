//! One stream after the other, at most two at once: the live one, and the one that is to follow it.

use std::future::pending;
use std::time::{Duration, Instant};

use crate::echomq::v1::{WorkRequest, WorkResponse, WorkerDirectiveAction};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinError, JoinHandle};
use tonic::{Status, Streaming};

use super::Worker;
use crate::stream::{Facts, Opened, open};

const FIRST_BACKOFF: Duration = Duration::from_millis(100);
const LAST_BACKOFF: Duration = Duration::from_secs(10);
/// A stream that lived so long was a good one: the next backoff begins anew.
const GOOD_STREAM: Duration = Duration::from_secs(5);
/// The gateway wants no more of a session.
const OVER: [&str; 2] = ["WORKER_UNRESPONSIVE", "SESSION_SUPERSEDED"];

/// What holds for one stream alone.
#[derive(Default)]
pub(super) struct Stream {
    /// None once this side is closed.
    pub out: Option<UnboundedSender<WorkRequest>>,
    /// None while no stream is live.
    pub messages: Option<Streaming<WorkResponse>>,
    pub began: Option<Instant>,
    pub window: usize,
    pub quiet: bool,
    pub draining: bool,
    pub directive: Option<(Instant, WorkerDirectiveAction)>,
    pub beat: Option<(Instant, Duration)>,
    /// Counted, not measured: a process that was stopped first reads what has come meanwhile.
    pub silent: Duration,
    pub silence_limit: Duration,
}

impl Stream {
    pub fn up(&self) -> bool {
        self.messages.is_some()
    }

    /// The next message; none comes while no stream is live.
    pub async fn message(&mut self) -> Result<Option<WorkResponse>, Status> {
        match &mut self.messages {
            Some(messages) => messages.message().await,
            None => pending().await,
        }
    }
}

type Answer = Result<Result<Opened, Facts>, JoinError>;

/// A stream that was asked for.
pub(super) struct Asking {
    task: JoinHandle<Result<Opened, Facts>>,
    began: Instant,
    window: usize,
}

impl Asking {
    /// How that went; nothing comes while none is asked for.
    pub async fn answer(asking: &mut Option<Self>) -> Answer {
        match asking {
            Some(asking) => (&mut asking.task).await,
            None => pending().await,
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Worker {
    /// Asks for a stream. One that is live serves until the new one is open, and is then left.
    pub(super) fn ask(&mut self) {
        if self.asking.is_some() {
            return;
        }
        self.retry_at = None;
        self.held.forget_buffered();
        let window = self.room();
        let first = self.session.open(window, &self.held, self.reports.acked_through());
        let task = tokio::spawn(open(self.options.address.clone(), first));
        self.asking = Some(Asking { task, began: Instant::now(), window });
    }

    /// Gives up what is asked for, unless it is the only one.
    pub(super) fn ask_no_more(&mut self) {
        if self.stream.up() {
            self.asking = None;
            self.retry_at = None;
        }
    }

    pub(super) fn moving(&self) -> bool {
        self.asking.is_some() || self.retry_at.is_some()
    }

    pub(super) fn asked(&mut self, answer: Answer) {
        let Some(asking) = self.asking.take() else { return };
        match answer {
            Ok(Ok(Opened { out, messages, opened })) => {
                self.stream = Stream {
                    out: Some(out),
                    messages: Some(messages),
                    began: Some(asking.began),
                    window: asking.window,
                    ..Stream::default()
                };
                self.opened(opened, asking.began);
            }
            Ok(Err(facts)) => self.failed(&facts, asking.began),
            Err(error) => self.failed(&Facts::message(error), asking.began),
        }
    }

    /// The live stream has ended.
    pub(super) fn ended(&mut self, facts: &Facts) {
        let began = self.stream.began.unwrap_or_else(Instant::now);
        self.stream = Stream::default();
        // The end that was waited for; or a gateway that has the new stream of the session has ended the old one.
        let wished = self.stopping_since.is_some() && self.held.is_empty();
        if self.asking.is_none() && !wished {
            self.failed(facts, began);
        }
    }

    fn failed(&mut self, facts: &Facts, began: Instant) {
        if !self.stream.up() && OVER.contains(&facts.reason.as_str()) {
            self.session.restart();
            self.reports.restart();
        }
        let Facts { reason, message, .. } = facts;
        eprintln!("{}: the stream ended: {reason} {message}", self.session.name());
        self.failures = if began.elapsed() > GOOD_STREAM { 1 } else { self.failures + 1 };
        let bound = LAST_BACKOFF.min(FIRST_BACKOFF * (1 << (self.failures - 1).min(10)));
        let wait = bound.mul_f64(rand::random()).max(facts.retry_after.unwrap_or_default());
        self.retry_at = Some(Instant::now() + wait);
    }
}
