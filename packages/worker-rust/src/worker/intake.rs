//! How much the worker takes, by the gateway's wishes and its own, and how it leaves.

use std::time::Instant;

use crate::echomq::v1::{WorkDrain, work_request::Message as Say};

use super::Worker;

impl Worker {
    pub(super) fn stop(&mut self) {
        self.stopping_since = Some(Instant::now());
        self.update_window();
        self.release_buffered();
        self.leave_if_done();
        self.ask_no_more();
    }

    pub(super) fn release_buffered(&mut self) {
        let endings = self.held.release_all(false);
        self.report(endings);
    }

    pub(super) fn taking(&self) -> bool {
        self.stopping_since.is_none() && !self.stream.quiet && !self.stream.draining
    }

    /// For how many jobs there is room where any are taken.
    pub(super) fn room(&self) -> usize {
        let free = self.options.concurrency.saturating_sub(self.held.zombies());
        if self.stopping_since.is_none() { free } else { 0 }
    }

    pub(super) fn update_window(&mut self) {
        let wanted = if self.taking() { self.room() } else { 0 };
        if self.stream.up() && wanted != self.stream.window {
            self.stream.window = wanted;
            self.send(self.session.window(wanted));
        }
    }

    /// The last words: drain, and this side is closed. The gateway then ends the stream.
    pub(super) fn leave_if_done(&mut self) {
        let leaving = self.stopping_since.is_some() || self.stream.draining;
        if leaving && self.stream.up() && self.held.is_empty() && self.stream.out.is_some() {
            let reason = "nothing is held any more".into();
            self.send(Say::Drain(WorkDrain { reason, release_unstarted: true }));
            self.stream.out = None;
        }
    }
}
