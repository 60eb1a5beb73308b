//! What a worker is told.

use std::time::Duration;

/// Where a worker works, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The gateway: `host:port`, without TLS and token.
    pub address: String,
    /// The queue whose jobs it takes.
    pub queue: String,
    /// How many jobs at once, at least one.
    pub concurrency: usize,
    /// What the worker is called; none is called by its host and process.
    pub name: Option<String>,
    /// Until a dead worker's jobs are free; none is the gateway's default.
    pub lock_duration: Option<Duration>,
}

impl Options {
    /// Four jobs at once of a queue, and for the rest the defaults.
    pub fn new(address: impl Into<String>, queue: impl Into<String>) -> Self {
        let (address, queue) = (address.into(), queue.into());
        Self { address, queue, concurrency: 4, name: None, lock_duration: None }
    }
}
