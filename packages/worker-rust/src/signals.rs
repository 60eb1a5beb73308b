//! SIGTERM and SIGINT.

use tokio::signal::unix::{Signal, SignalKind, signal};

pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    seen: bool,
}

impl Signals {
    pub fn new() -> std::io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { terminate, interrupt: signal(SignalKind::interrupt())?, seen: false })
    }

    /// Waits for the first one; a second one ends the process at once.
    pub async fn recv(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
        if std::mem::replace(&mut self.seen, true) {
            std::process::exit(1);
        }
    }
}
