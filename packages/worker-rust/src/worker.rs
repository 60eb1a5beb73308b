//! The protocol of docs/protocol.md: one session over as many streams as it takes.

mod hearing;
mod intake;
mod streams;

use std::time::{Duration, Instant};

use crate::echomq::v1::{DeliveredJob, WorkProgress, WorkRequest, work_request::Message as Say};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};

use crate::Options;
use crate::evidence::Evidence;
use crate::handler::{Failure, Handler, Progress, boxed};
use crate::held::{Ending, Held};
use crate::reports::Reports;
use crate::session::Session;
use crate::signals::Signals;
use crate::stream::Facts;
use streams::{Asking, Stream};

/// All that is to happen at some time is looked after so often.
const LOOK: Duration = Duration::from_millis(100);
/// After such a gap the process had been stopped: what has come meanwhile is read first.
const ASLEEP: Duration = Duration::from_secs(1);
/// After SIGTERM handlers have so long to end, and then reports to be answered.
const HANDLERS_LIMIT: Duration = Duration::from_secs(10);
const ANSWERS_LIMIT: Duration = Duration::from_secs(40);

/// A worker of one queue. All but the handlers happens in [`run`](Worker::run).
pub struct Worker {
    options: Options,
    handler: Handler,
    session: Session,
    held: Held,
    reports: Reports,
    progress: (UnboundedSender<WorkProgress>, UnboundedReceiver<WorkProgress>),
    stopping_since: Option<Instant>,
    failures: u32,
    announced: bool,
    evidence: Evidence,
    stream: Stream,
    asking: Option<Asking>,
    /// Another stream is asked for then.
    retry_at: Option<Instant>,
    looked_at: Option<Instant>,
}

impl Worker {
    /// A worker that does nothing yet.
    ///
    /// The handler works on a job, and is stopped at any of its awaits: when the lease is lost, when somebody cancels
    /// the job, and when the worker stops and it takes longer than ten seconds. It must bear a second run.
    pub fn new<H, F>(options: Options, handler: H) -> Self
    where
        H: Fn(DeliveredJob, Progress) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Vec<u8>, Failure>> + Send + 'static,
    {
        Self {
            session: Session::new(&options),
            options,
            handler: boxed(handler),
            held: Held::default(),
            reports: Reports::default(),
            progress: unbounded_channel(),
            stopping_since: None,
            failures: 0,
            announced: false,
            evidence: Evidence::default(),
            stream: Stream::default(),
            asking: None,
            retry_at: None,
            looked_at: None,
        }
    }

    /// Works until SIGTERM or SIGINT, and to the end of what is held. A second one ends it at once.
    ///
    /// # Errors
    ///
    /// What is held to the end has no answer for too long, or signals cannot be heard.
    pub async fn run(mut self) -> Result<(), String> {
        let mut signals = Signals::new().map_err(|error| error.to_string())?;
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.ask();
        while !self.over()? {
            tokio::select! {
                biased;
                _ = look.tick() => self.look(),
                () = signals.recv() => self.stop(),
                Some(progress) = self.progress.1.recv() => self.progressed(progress),
                Some(ended) = self.held.handlers.join_next_with_id() => {
                    let ending = self.held.ended(ended);
                    self.report(ending);
                    self.begin();
                }
                answer = Asking::answer(&mut self.asking) => self.asked(answer),
                message = self.stream.message() => match message {
                    Ok(Some(message)) => self.hear(message),
                    Ok(None) => self.ended(&Facts::message("by the gateway")),
                    Err(status) => self.ended(&status.into()),
                },
            }
        }
        Ok(())
    }

    /// Whether all is done; an error when it takes too long.
    fn over(&self) -> Result<bool, String> {
        let Some(since) = self.stopping_since else { return Ok(false) };
        if !self.held.is_empty() && since.elapsed() > ANSWERS_LIMIT {
            return Err(format!("left without an answer: {:?}", self.held.leases().len()));
        }
        Ok(self.held.is_empty() && !self.stream.up())
    }

    /// What is due.
    fn look(&mut self) {
        let now = Instant::now();
        let before = self.looked_at.replace(now);
        let evidence = &self.evidence;
        self.held.lapse(|since| evidence.may_be_over(since));
        if self.retry_at.is_some_and(|at| at <= now) {
            self.ask();
        }
        if !self.stream.up() {
            return;
        }
        self.stream.silent += LOOK;
        if self.stream.silent > self.stream.silence_limit {
            self.ended(&Facts::message("the gateway is silent"));
            return;
        }
        if before.is_some_and(|before| now - before > ASLEEP) {
            return;
        }
        if let Some((_, action)) = self.stream.directive.take_if(|(at, _)| *at <= now) {
            self.follow(action);
        }
        if self.stream.beat.is_some_and(|(at, _)| at <= now) {
            self.heartbeat();
        }
        for report in self.reports.due() {
            self.send(Say::Report(report));
        }
        if self.stopping_since.is_some_and(|since| now - since > HANDLERS_LIMIT) {
            let endings = self.held.release_all(true);
            self.report(endings);
        }
        self.update_window();
        self.leave_if_done();
    }

    /// Starts as many handlers as may run; the heartbeat that says so goes first.
    fn begin(&mut self) -> bool {
        let jobs = self.held.next(self.options.concurrency);
        if jobs.is_empty() {
            return false;
        }
        self.heartbeat();
        for job in jobs {
            self.held.start(&self.handler, job, &self.options.address, &self.progress.0);
        }
        true
    }

    fn progressed(&mut self, progress: WorkProgress) {
        if progress.lease.as_ref().is_some_and(|lease| self.held.runs_now(lease)) {
            self.send(Say::Progress(progress));
        }
    }

    fn report(&mut self, endings: impl IntoIterator<Item = Ending>) {
        for (lease, outcome) in endings {
            let report = self.reports.enter(lease, outcome, false);
            self.send(Say::Report(report));
        }
    }

    fn heartbeat(&mut self) {
        if let Some((at, each)) = &mut self.stream.beat {
            *at = Instant::now() + *each;
        }
        let message = self.session.heartbeat(&self.held, self.reports.acked_through());
        self.send(message);
        self.evidence.sent(self.session.seq());
    }

    /// Says it while a stream is open; what is said before is said again then.
    fn send(&self, message: Say) {
        if let Some(out) = &self.stream.out {
            // A stream that has ended is noticed where its messages are read.
            let _ = out.send(WorkRequest { message: Some(message) });
        }
    }
}
