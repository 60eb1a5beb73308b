//! The protocol of docs/protocol.md: one session over as many streams as it takes.

mod hearing;

use std::time::{Duration, Instant};

use sample_worker::echomq::v1::{
    WorkDrain, WorkProgress, WorkRequest, WorkerDirectiveAction, work_request::Message as Say,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::Options;
use crate::held::{Ending, Held};
use crate::reports::Reports;
use crate::session::Session;
use crate::signals::Signals;
use crate::stream::{Facts, open};

/// All that is to happen at some time is looked after so often.
const LOOK: Duration = Duration::from_millis(100);
/// After such a gap the process had been stopped: what has come meanwhile is read first.
const ASLEEP: Duration = Duration::from_secs(1);
const OPENED_WITHIN: Duration = Duration::from_secs(10);
const FIRST_BACKOFF: Duration = Duration::from_millis(100);
const LAST_BACKOFF: Duration = Duration::from_secs(10);
/// A stream that lived so long was a good one: the next backoff begins anew.
const GOOD_STREAM: Duration = Duration::from_secs(5);
/// After SIGTERM handlers have so long to end, and then reports to be answered.
const HANDLERS_LIMIT: Duration = Duration::from_secs(10);
const ANSWERS_LIMIT: Duration = Duration::from_secs(40);
/// The gateway wants no more of a session.
const OVER: [&str; 2] = ["WORKER_UNRESPONSIVE", "SESSION_SUPERSEDED"];

pub struct Worker {
    options: Options,
    session: Session,
    held: Held,
    reports: Reports,
    progress: (UnboundedSender<WorkProgress>, UnboundedReceiver<WorkProgress>),
    stopping_since: Option<Instant>,
    failures: u32,
    announced: bool,
    stream: Stream,
}

/// What holds for one stream alone.
#[derive(Default)]
struct Stream {
    /// None once this side is closed.
    out: Option<UnboundedSender<WorkRequest>>,
    up: bool,
    window: usize,
    quiet: bool,
    draining: bool,
    moving: bool,
    directive: Option<(Instant, WorkerDirectiveAction)>,
    beat: Option<(Instant, Duration)>,
    /// Counted, not measured: a process that was stopped first reads what has come meanwhile.
    silent: Duration,
    silence_limit: Duration,
    looked_at: Option<Instant>,
}

impl Worker {
    pub fn new(options: Options) -> Self {
        Self {
            session: Session::new(&options),
            options,
            held: Held::default(),
            reports: Reports::default(),
            progress: unbounded_channel(),
            stopping_since: None,
            failures: 0,
            announced: false,
            stream: Stream::default(),
        }
    }

    /// Works until SIGTERM or SIGINT, and to the end of what is held. A second one ends it at once.
    pub async fn run(mut self) -> Result<(), String> {
        let mut signals = Signals::new().map_err(|error| error.to_string())?;
        loop {
            let began = Instant::now();
            let facts = self.one_stream(&mut signals).await;
            let stopping = self.stopping_since;
            if stopping.is_some() && self.held.is_empty() {
                return Ok(());
            }
            if stopping.is_some_and(|since| since.elapsed() > ANSWERS_LIMIT) {
                return Err(format!("left without an answer: {:?}", self.held.leases().len()));
            }
            if OVER.contains(&facts.reason.as_str()) {
                self.session.restart();
                self.reports.restart();
            }
            if !self.stream.moving {
                eprintln!(
                    "{}: the stream ended: {} {}",
                    self.session.name(),
                    facts.reason,
                    facts.message
                );
                let wait = self.backoff(&facts, began.elapsed());
                tokio::select! {
                    () = sleep(wait) => {}
                    () = signals.recv() => self.stop(),
                }
            }
        }
    }

    fn backoff(&mut self, facts: &Facts, lived: Duration) -> Duration {
        self.failures = if lived > GOOD_STREAM { 1 } else { self.failures + 1 };
        let bound = LAST_BACKOFF.min(FIRST_BACKOFF * (1 << (self.failures - 1).min(10)));
        bound.mul_f64(rand::random()).max(facts.retry_after.unwrap_or_default())
    }

    async fn one_stream(&mut self, signals: &mut Signals) -> Facts {
        let (out, requests) = unbounded_channel();
        self.held.forget_buffered();
        self.stream = Stream { out: Some(out), silence_limit: OPENED_WITHIN, ..Stream::default() };
        self.stream.window = self.wanted_window();
        let first = self.session.open(self.stream.window, &self.held, self.reports.acked_through());
        self.send_now(first);
        let opening = timeout(OPENED_WITHIN, open(&self.options.address, requests));
        let opened = tokio::select! {
            opened = opening => opened,
            () = signals.recv() => {
                self.stop();
                return Facts::message("told to stop");
            }
        };
        let mut messages = match opened {
            Ok(Ok(messages)) => messages,
            Ok(Err(status)) => return status.into(),
            Err(_) => return Facts::message("the gateway does not answer"),
        };
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let end = loop {
            tokio::select! {
                biased;
                _ = look.tick() => if let Some(end) = self.look() { break end },
                () = signals.recv() => self.stop(),
                Some(progress) = self.progress.1.recv() => self.progressed(progress),
                Some(ended) = self.held.handlers.join_next_with_id() => {
                    let ending = self.held.ended(ended);
                    self.report(ending, false);
                    self.begin();
                }
                message = messages.message() => match message {
                    Ok(Some(message)) => self.hear(message),
                    Ok(None) => break Facts::message("by the gateway"),
                    Err(status) => break status.into(),
                },
            }
        };
        self.stream.up = false;
        end
    }

    /// What is due. Returns why the stream is to be left, if it is.
    fn look(&mut self) -> Option<Facts> {
        let now = Instant::now();
        let before = self.stream.looked_at.replace(now);
        self.stream.silent += LOOK;
        if self.stream.silent > self.stream.silence_limit {
            return Some(Facts::message("the gateway is silent"));
        }
        if before.is_some_and(|before| now - before > ASLEEP) {
            return None;
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
        let stopping = self.stopping_since.map(|since| now - since);
        if stopping.is_some_and(|lasts| lasts > HANDLERS_LIMIT) {
            let endings = self.held.release_all(true);
            self.report(endings, false);
        }
        self.update_window();
        self.leave_if_done();
        let idle = !self.stream.up && self.held.is_empty();
        let gives_up = stopping.is_some_and(|lasts| idle || lasts > ANSWERS_LIMIT);
        (self.stream.moving || gives_up).then(|| Facts::message("left"))
    }

    fn stop(&mut self) {
        self.stopping_since = Some(Instant::now());
        self.update_window();
        self.release_buffered();
        self.leave_if_done();
    }

    fn release_buffered(&mut self) {
        let endings = self.held.release_all(false);
        self.report(endings, false);
    }

    /// Starts as many handlers as may run; the heartbeat that says so goes first.
    fn begin(&mut self) -> bool {
        let jobs = self.held.next(self.options.concurrency);
        if jobs.is_empty() {
            return false;
        }
        self.heartbeat();
        for job in jobs {
            self.held.start(job, &self.options.address, &self.progress.0);
        }
        true
    }

    fn progressed(&mut self, progress: WorkProgress) {
        if progress.lease.as_ref().is_some_and(|lease| self.held.runs_now(lease)) {
            self.send(Say::Progress(progress));
        }
    }

    fn report(&mut self, endings: impl IntoIterator<Item = Ending>, instead: bool) {
        for (lease, outcome) in endings {
            let report = self.reports.enter(lease, outcome, instead);
            self.send(Say::Report(report));
        }
    }

    fn taking(&self) -> bool {
        self.stopping_since.is_none() && !self.stream.quiet && !self.stream.draining
    }

    fn wanted_window(&self) -> usize {
        let free = self.options.concurrency.saturating_sub(self.held.zombies());
        if self.taking() { free } else { 0 }
    }

    fn update_window(&mut self) {
        let wanted = self.wanted_window();
        if self.stream.up && wanted != self.stream.window {
            self.stream.window = wanted;
            self.send(self.session.window(wanted));
        }
    }

    /// The last words: drain, and this side is closed. The gateway then ends the stream.
    fn leave_if_done(&mut self) {
        let leaving = self.stopping_since.is_some() || self.stream.draining;
        if leaving && self.stream.up && self.held.is_empty() {
            let reason = "nothing is held any more".into();
            self.send(Say::Drain(WorkDrain { reason, release_unstarted: true }));
            self.stream.out = None;
        }
    }

    fn heartbeat(&mut self) {
        if let Some((at, each)) = &mut self.stream.beat {
            *at = Instant::now() + *each;
        }
        let message = self.session.heartbeat(&self.held, self.reports.acked_through());
        self.send(message);
    }

    /// Says it once the gateway has answered to open; what is said before is said again then.
    fn send(&self, message: Say) {
        if self.stream.up {
            self.send_now(message);
        }
    }

    fn send_now(&self, message: Say) {
        if let Some(out) = &self.stream.out {
            // A stream that has ended is noticed where its messages are read.
            let _ = out.send(WorkRequest { message: Some(message) });
        }
    }
}
