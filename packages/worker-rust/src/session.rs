//! Who works: what a session tells the gateway of itself. It outlives streams; each has the next epoch.

use std::fs;

use crate::echomq::v1::{
    HeldSet, SdkInfo, Subscription, WorkHeartbeat, WorkOpen, WorkWindow, WorkerInfo, WorkerLoad,
    work_heartbeat::Holdings, work_request::Message,
};

use crate::Options;
use crate::held::Held;

/// Where Linux says it.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

pub struct Session {
    info: WorkerInfo,
    subscription: Subscription,
    capacity: u32,
    epoch: u32,
    seq: u32,
}

impl Session {
    pub fn new(options: &Options) -> Self {
        let host = fs::read_to_string(HOST_NAME).unwrap_or_else(|_| "localhost".into());
        let host = host.trim().to_owned();
        let worker_id = format!("{host}:{}", std::process::id());
        let sdk = SdkInfo { language: "rust".into(), version: env!("CARGO_PKG_VERSION").into() };
        let info = WorkerInfo {
            name: options.name.clone().unwrap_or_else(|| worker_id.clone()),
            worker_id,
            session_id: new_id(),
            sdk: Some(sdk),
            host,
            pid: std::process::id(),
            ..WorkerInfo::default()
        };
        let subscription = Subscription {
            queue: options.queue.clone(),
            lock_duration: options.lock_duration.and_then(|lock| lock.try_into().ok()),
            ..Subscription::default()
        };
        Self { info, subscription, capacity: number(options.concurrency), epoch: 0, seq: 0 }
    }

    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// The gateway wants no more of the old one.
    pub fn restart(&mut self) {
        self.info.session_id = new_id();
        self.epoch = 0;
    }

    /// The first message of a stream.
    pub fn open(&mut self, window: usize, held: &Held, acked_through: u32) -> Message {
        let subscription =
            Subscription { max_in_flight: number(window), ..self.subscription.clone() };
        let open = WorkOpen {
            worker: Some(self.info.clone()),
            subscriptions: vec![subscription],
            held: held.leases(),
            epoch: self.epoch,
            load: Some(self.load(held)),
            acked_through,
            // Answers may come several to a message.
            features: vec!["reportBatches".into()],
            ..WorkOpen::default()
        };
        self.epoch += 1;
        Message::Open(open)
    }

    /// Of the last heartbeat. It never falls: two streams may be open at once.
    pub fn seq(&self) -> u32 {
        self.seq
    }

    /// Says that the worker lives, and all that it holds.
    pub fn heartbeat(&mut self, held: &Held, acked_through: u32) -> Message {
        self.seq += 1;
        Message::Heartbeat(WorkHeartbeat {
            seq: self.seq,
            holdings: Some(Holdings::Held(HeldSet { jobs: held.named() })),
            acked_through,
            load: Some(self.load(held)),
        })
    }

    /// Asks for so many jobs at once.
    pub fn window(&self, window: usize) -> Message {
        let (queue, max_in_flight) = (self.subscription.queue.clone(), number(window));
        Message::Window(WorkWindow { queue, max_in_flight, ..WorkWindow::default() })
    }

    fn load(&self, held: &Held) -> WorkerLoad {
        WorkerLoad { running: number(held.handlers.len()), capacity: self.capacity }
    }
}

fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

fn number(count: usize) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}
