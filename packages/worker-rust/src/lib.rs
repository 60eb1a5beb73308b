//! Write a handler; the worker protocol of EchoMQ is done for you: windows, heartbeats, leases, reports that are
//! repeated until they are answered, reconnects with the same session, an end in good order.
//!
//! A handler takes a [`DeliveredJob`](echomq::v1::DeliveredJob) and a [`Progress`], and returns JSON or a [`Failure`].
//! [`Worker::run`] works with it until SIGTERM.
#![warn(missing_docs)]

mod evidence;
mod handler;
mod held;
mod options;
mod outcomes;
mod reports;
mod session;
mod signals;
mod stream;
mod worker;

pub use handler::{Failure, Progress};
pub use options::Options;
pub use worker::Worker;

/// What the errors of a gateway are made of.
#[allow(clippy::all, clippy::pedantic, missing_docs)]
pub mod google {
    pub mod rpc {
        tonic::include_proto!("google.rpc");
    }
}

/// The contract, made by `build.rs` of `proto/`: the messages, and the clients of producers too.
#[allow(clippy::all, clippy::pedantic, missing_docs)]
pub mod echomq {
    pub mod v1 {
        tonic::include_proto!("echomq.v1");
    }
}
