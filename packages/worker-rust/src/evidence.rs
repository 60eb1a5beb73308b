//! What the worker knows of its leases without being told that one is lost.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A heartbeat that was answered has kept the leases from the moment at which it was sent.
#[derive(Default)]
pub struct Evidence {
    lock: Option<Duration>,
    kept_at: Option<Instant>,
    sent: BTreeMap<u32, Instant>,
}

impl Evidence {
    /// The gateway has kept what it has not rejected since the stream began.
    pub fn opened(&mut self, began: Instant, lock: Duration) {
        self.lock = Some(lock);
        self.kept_at = self.kept_at.max(Some(began));
        self.sent.clear();
    }

    pub fn sent(&mut self, seq: u32) {
        self.sent.insert(seq, Instant::now());
    }

    pub fn answered(&mut self, seq: u32) {
        self.kept_at = self.kept_at.max(self.sent.get(&seq).copied());
        self.sent.retain(|other, _| *other > seq);
    }

    /// Whether somebody else may hold what was delivered then, whatever the gateway knows.
    pub fn may_be_over(&self, delivered: Instant) -> bool {
        let from = self.kept_at.map_or(delivered, |kept| kept.max(delivered));
        self.lock.is_some_and(|lock| from.elapsed() >= lock)
    }
}

#[cfg(test)]
mod tests;
